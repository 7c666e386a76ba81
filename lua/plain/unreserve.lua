-- Releases reservations by their tokens the plain way (docs/specification.md#release). Takes the keys and arguments of
-- lua/verbs/reservations/unreserve.lua, and returns its reply; or nil and what was read of the tenant, nil nothing:
-- then nothing has been changed, and the request goes the general way.
local answers = require('frame/answers')
local codec = require('slots/codec')
local history = require('history/ended')
local plain = require('plain/plain')
local pools = require('slots/pools')
local reservationEvents = require('events/reservations')
local slots = require('plain/slots')
local tenant = require('plain/tenant')

local ITEM_SIZE, FIRST = 3, 3
local byte = string.byte

-- Checks the item of a plain name, and adds its event. Takes the record of the name. Returns when its lease would have
-- ended, 0 never; nil if the record is not the item's requester's by its token.
local function endOfReleased(args, at, packed)
  local owner, _, _, expiresAt, token, type = codec.unpackPlain(packed)
  if owner ~= args[at + 1] or token ~= args[at + 2] then
    return nil
  elseif plain.isHeard then
    reservationEvents.addReleased(tenant.label, args[at], owner, type, tenant.actor())
  end
  return expiresAt
end

-- Writes the history of reservations that ended, if the tenant keeps one. Takes the key of the stream, their slots and
-- packed records, and the time in us and ms.
local function writePast(key, names, records, nowUs, nowMs)
  local kept, past = tenant.keptPast(), {}
  if kept > 0 then
    for i = 1, #names do
      past[2 * i - 1], past[2 * i] = 'R', history.valueOf(names[i], nowMs, '', records[i])
    end
    tenant.notePast(past)
    history.send(key, past, kept, nowUs)
  end
end

-- Returns true if a name may be that of a resource with labels: then its release may have to be noted for searches
-- (lua/slots/poolFields.lua).
local function mayBeLabelled(keys, names)
  return tenant.areAnyLabelled() and (pools.split(names[1]) or plain.areAnyDefined(keys[6], names))
end

-- Carries out the only item of a request. Returns the reply, its slot, the record and when its lease would have ended;
-- nil if the request must go the general way.
local function releaseOne(keys, args)
  local slot, expiresAt = args[FIRST], nil
  local packed, pool, index = redis.call('HGET', keys[3], slot), pools.split(slot)
  if not packed then
    slot, packed = slots.assignedTo(keys, slot, args[FIRST + 1])
  end
  if packed and byte(packed) == 2 then
    expiresAt = endOfReleased(args, FIRST, packed)
    if expiresAt and pool then
      slots.mark(keys, pool, index, false)
    end
  elseif packed then
    pool, expiresAt = true, slots.release(keys, args, FIRST, slot, packed)
  end
  if not expiresAt then
    return nil
  end
  redis.call('HDEL', keys[3], slot)
  if expiresAt > 0 then
    redis.call('ZREM', keys[4], slot)
  end
  if pool then
    slots.write(keys)
  end
  return { 'OK', '', 'RELINQUISHED\n' .. slot }, { slot }, { packed }
end

-- Carries out all items. Returns the reply, the names and their records; nil if the request must go the general way.
local function releaseAll(keys, args, names)
  local records = redis.call('HMGET', keys[3], unpack(names))
  local reply, due, isNamed, at = { 'OK', '' }, {}, {}, FIRST
  for i = 1, #names do
    local name, packed = names[i], records[i]
    local expiresAt = packed and not isNamed[name] and endOfReleased(args, at, packed)
    if not expiresAt then
      return nil
    elseif expiresAt > 0 then
      due[#due + 1] = name
    end
    isNamed[name], reply[i + 2], at = true, 'RELINQUISHED\n' .. name, at + ITEM_SIZE
  end
  redis.call('HDEL', keys[3], unpack(names))
  if due[1] then
    redis.call('ZREM', keys[4], unpack(due))
  end
  return reply, names, records
end

return function(keys, args)
  local number, names = (#args - FIRST + 1) / ITEM_SIZE, { args[FIRST] }
  if number > 1 then
    names = plain.readNames(args, FIRST, ITEM_SIZE)
  end
  if not names or number < 1 then
    return nil
  end
  local nowMs, nowUs = plain.begin(keys, args, number)
  if not nowMs or mayBeLabelled(keys, names) then
    return plain.giveUp()
  end
  local release = names[2] and releaseAll or releaseOne
  local reply, ended, records = release(keys, args, names)
  if not reply then
    return plain.giveUp()
  end
  tenant.remove(number)
  writePast(keys[14], ended, records, nowUs, nowMs)
  return answers.remember(keys[15], plain.finish(keys, args, reply, plain.workOf(number, number * #ended[1])))
end
