-- How a charged request is sent, in ARGV[2], a letter each:
--   r  it is repeated: the connection was lost after it had been sent, so it may have been carried out already
--   s  requests of several callers share it: if it is refused, each is sent again by itself
local isRepeated = string.find(ARGV[2], 'r', 1, true) ~= nil
local isShared = string.find(ARGV[2], 's', 1, true) ~= nil
