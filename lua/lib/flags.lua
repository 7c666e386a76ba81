-- The flags in ARGV[2] of a charged request, one letter each:
--   r  a retry: the connection was lost after the request was sent, so the script may already have run
--   c  the request has called the script before, and was charged then: it goes on waiting, or claims its grant
--   d  a dry run: the script says what the request would do, and changes nothing (dryRun.lua)
--   s  a shared call for several requests (shares.lua). The numbers of their items follow, with commas between: s1,3,1.
--      If the call is refused as a whole, the instance sends each request on its own
-- If the request has an Idempotency-Key, its fingerprint follows: 64 digits, 0 to 9 and A to F (once.lua).
-- Most requests have none.
local sizes = string.match(ARGV[2], 's([%d,]+)')
local flags = ARGV[2] == '' and {} or {
  isRepeated = string.find(ARGV[2], 'r', 1, true) ~= nil,
  isContinued = string.find(ARGV[2], 'c', 1, true) ~= nil,
  isDry = string.find(ARGV[2], 'd', 1, true) ~= nil,
  sizes = sizes,
  fingerprint = not sizes and #ARGV[2] >= 64 and string.sub(ARGV[2], -64),
}
