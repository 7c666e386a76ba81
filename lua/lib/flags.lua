-- How the instance sends a charged request, in ARGV[2], a letter each:
--   r  a retry: the connection was lost after the request was sent, so the script may have run already
--   s  a shared call for the requests of several callers: if it is refused, the instance sends each on its own
local flags = {
  isRepeated = string.find(ARGV[2], 'r', 1, true) ~= nil,
  isShared = string.find(ARGV[2], 's', 1, true) ~= nil,
}
