-- The call's keys and arguments. Fields:
--   args     its arguments (ARGV)
--   handed   what the plain way (lua/plain) has read of the tenant; nil nothing
--   flags    the flags of a charged request, its second argument, one letter each. Most requests have none:
--     isRepeated   r  a retry: the connection was lost after the request was sent, so the script may already have run
--     isContinued  c  the request has called the script before, and was charged then: it goes on waiting, or claims its
--                     grant
--     isDry        d  a dry run: the script says what the request would do, and changes nothing (frame/charged.lua)
--     sizes        s  a batch: one call for several requests (frame/batch.lua). The numbers of their items follow, with
--                     commas between: s1,3,1. If the call is refused as a whole, the instance sends each request on its
--                     own
--     calls        h  the last argument, which names calls to which what is released may be handed over
--                     (waiting/handOver.lua)
--     poll         w  the last argument, if an item may wait: the instance of the long poll, and for how long it may
--                     do so: '<instance> <ms>'
--     dueIndexed   i  the tenant's time in the due index (limits/cap.lua), '<ms> <swept>;'
--     fingerprint  of a request with an Idempotency-Key: 64 digits, 0 to 9 and A to F, at the end (frame/answers.lua)
local keys = require('frame/keys')
local call, flags = {}, {}
call.flags = flags
-- The verb and the tenant's key of the call before, and the number of keys that it was given: most calls have the same.
local verbBefore, tenantBefore, givenBefore
-- The beginning of the tenant's keys.
local base

-- A key that the call was not given is made when it is first asked for: the tenant's stands for the last ones that a
-- verb may be given, and the others are derived from it.
setmetatable(keys, { __index = function(_, name)
  local key = tenantBefore
  if verbBefore.derived[name] then
    key = base .. name
  elseif not verbBefore.given[name] then
    error('src/redis/verbs.ts does not name the key ' .. name .. ' of ' .. verbBefore.name)
  end
  keys[name] = key
  return key
end })

-- Sets the keys of a verb (frame/run.lua). Takes those that the call was given.
function call.setKeys(verb, values)
  local tenant, given = values[1], #values
  if given == 1 and givenBefore == 1 and verb == verbBefore and tenant == tenantBefore then
    return
  end
  local names = verb.keys
  -- In a cluster, a call is given its derived keys, too.
  if given > #names then
    given = #names
  end
  if verb ~= verbBefore or tenant ~= tenantBefore then
    for name in pairs(keys) do
      keys[name] = nil
    end
    verbBefore, tenantBefore, base = verb, tenant, string.sub(tenant, 1, -7)
    keys[names[1]] = tenant
  else
    for i = given + 1, givenBefore do
      keys[names[i]] = nil
    end
  end
  for i = 2, given do
    keys[names[i]] = values[i]
  end
  givenBefore = given
end

local function readFlags(text)
  if text == '' then
    flags.isRepeated, flags.isContinued, flags.isDry, flags.sizes, flags.fingerprint = false, false, false, nil, false
    flags.calls, flags.poll, flags.dueIndexed = nil, nil, nil
    return
  end
  flags.isRepeated = string.find(text, 'r', 1, true) ~= nil
  flags.isContinued = string.find(text, 'c', 1, true) ~= nil
  flags.isDry = string.find(text, 'd', 1, true) ~= nil
  flags.sizes = string.match(text, 's([%d,]+)')
  flags.calls = string.find(text, 'h', 1, true) and table.remove(call.args) or nil
  flags.poll = string.find(text, 'w', 1, true) and table.remove(call.args) or nil
  flags.dueIndexed = string.match(text, 'i([%d ]+);')
  flags.fingerprint = not flags.sizes and #text >= 64 and string.sub(text, -64)
end

-- Begins a call: takes the verb, the arguments, and what the plain way has read.
function call.start(verb, args, handed)
  call.args, call.handed = args, handed
  readFlags(verb.hasFlags and args[2] or '')
end

return call
