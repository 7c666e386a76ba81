-- Releases reservations of plain names by their tokens (docs/specification.md#release). Takes the keys and arguments
-- of lua/commands/reservations/unreserve.lua, and returns its reply; or nil and what was read of the tenant, nil
-- nothing: then nothing has been changed, and the request goes the general way.
local events = require('plain/events')
local past = require('plain/past')
local plain = require('plain/plain')
local record = require('plain/record')
local tenant = require('plain/tenant')

local ITEM_SIZE, FIRST = 3, 3
-- How long the reply is remembered for a retry, in ms (lua/lib/answers.lua).
local ANSWER_MS, MAX_ANSWER_BYTES = 5000, 65536

-- Reads the reservations that the items release. Returns an array; nil if one of them is not the requester's by its
-- token.
local function readReservations(keys, args, names)
  local reservations, isNamed = {}, {}
  for i, packed in ipairs(redis.call('HMGET', keys[3], unpack(names))) do
    local at, name = FIRST + (i - 1) * ITEM_SIZE, names[i]
    local held = packed and not isNamed[name] and record.unpack(packed)
    if not held or held.owner ~= args[at + 1] or held.token ~= args[at + 2] then
      return nil
    end
    isNamed[name], reservations[i] = true, held
  end
  return reservations
end

local function remember(keys, reply)
  local packed = cmsgpack.pack(reply)
  redis.call('SET', keys[15], #packed > MAX_ANSWER_BYTES and '' or packed, 'PX', ANSWER_MS)
  return reply
end

return function(keys, args)
  local call, found = plain.begin(keys, args, FIRST, ITEM_SIZE)
  if not call then
    return nil, found
  end
  local names = call.names
  local reservations = readReservations(keys, args, names)
  if not reservations then
    return nil, found
  end
  local texts, due = {}, {}
  for i, name in ipairs(names) do
    local ended = reservations[i]
    texts[i] = 'RELINQUISHED\n' .. name
    tenant.remove()
    if ended.expiresAt > 0 then
      due[#due + 1] = name
    end
    if events.isHeard then
      events.unreserved(name, ended.owner, ended.type)
    end
  end
  redis.call('HDEL', keys[3], unpack(names))
  if due[1] then
    redis.call('ZREM', keys[4], unpack(due))
  end
  if tenant.keepsHistory then
    past.write(keys[14], names, reservations, call.nowMs)
  end
  return remember(keys, plain.finish(call, keys, args, texts))
end
