-- The flags of a charged request, its second argument, one letter each:
--   r  a retry: the connection was lost after the request was sent, so the script may already have run
--   c  the request has called the script before, and was charged then: it goes on waiting, or claims its grant
--   d  a dry run: the script says what the request would do, and changes nothing (frame/charged.lua)
--   s  a shared call for several requests (frame/shares.lua). The numbers of their items follow, with commas between:
--      s1,3,1. If the call is refused as a whole, the instance sends each request on its own
-- If the request has an Idempotency-Key, its fingerprint follows: 64 digits, 0 to 9 and A to F (frame/idempotency.lua).
-- Most requests have none.
local call = require('frame/call')
local flags = {}

function flags.begin()
  local text = call.flags
  if text == '' then
    flags.isRepeated, flags.isContinued, flags.isDry, flags.sizes, flags.fingerprint = false, false, false, nil, false
    return
  end
  local sizes = string.match(text, 's([%d,]+)')
  flags.isRepeated = string.find(text, 'r', 1, true) ~= nil
  flags.isContinued = string.find(text, 'c', 1, true) ~= nil
  flags.isDry = string.find(text, 'd', 1, true) ~= nil
  flags.sizes = sizes
  flags.fingerprint = not sizes and #text >= 64 and string.sub(text, -64)
end

return flags
