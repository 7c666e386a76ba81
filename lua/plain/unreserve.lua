-- Releases reservations by their tokens the plain way (docs/specification.md#release). Takes the keys and arguments of
-- lua/verbs/reservations.lua, and returns its reply; or nil and what was read of the tenant, nil nothing:
-- then nothing has been changed, and the request goes the general way.
local answers = require('frame/answers')
local codec = require('slots/codec')
local events = require('events/events')
local handOver = require('plain/handOver')
local history = require('history/ended')
local lines = require('plain/lines')
local plain = require('plain/plain')
local pools = require('slots/pools')
local reservationEvents = require('events/reservations')
local slots = require('plain/slots')
local tenant = require('plain/tenant')

local ITEM_SIZE, FIRST = 3, 3
local byte, find = string.byte, string.find

-- Checks the item of a plain name, and adds its event. Takes the record of the name. Returns when its lease would have
-- ended, 0 never; nil if the record is not the item's requester's by its token, or its release may do more.
local function endOfReleased(keys, args, at, packed)
  local owner, token, expiresAt, type, _, _, _, hasWaited = codec.unpackAlone(packed, args[at])
  if owner ~= args[at + 1] or token ~= args[at + 2] then
    return nil
  elseif hasWaited and not lines.isUnregistered(keys, args[at]) then
    -- Its slot may be one that its users leave dirty.
    return nil
  elseif plain.isHeard and events.isWanted('UNRESERVED', owner) then
    reservationEvents.addReleased(tenant.label, args[at], owner, type, tenant.actor())
  end
  return expiresAt
end

-- Returns true if a name may be that of a resource with labels: then its release may have to be noted for searches
-- (lua/slots/poolFields.lua).
local function mayBeLabelled(keys, names, ofPools)
  return ofPools or find(names[1], '>', 1, true) or pools.split(names[1]) or
    plain.areAnyDefined(keys.definitions, names)
end

-- Carries out the only item of a request. Returns its text, in two parts; nil if the request must go the general way.
local function releaseOne(keys, args, nowMs)
  local slot, found, expiresAt = args[FIRST]
  local packed, pool, slotNumber = redis.call('HGET', keys.slots, slot), pools.split(slot)
  if not packed then
    slot, packed, found = slots.assignedTo(keys, slot, args[FIRST + 1])
  end
  -- `found` comes from the hash `pools`: then this is a slot of a pool.
  local isName = packed and not found and (byte(packed) == 2 or codec.isOfName(packed))
  if not packed or tenant.isAwaited(keys, isName and slot) then
    return nil
  elseif isName then
    expiresAt = endOfReleased(keys, args, FIRST, packed)
    if expiresAt and pool then
      slots.mark(keys, pool, slotNumber)
    end
  else
    pool, expiresAt = true, slots.release(keys, args, FIRST, slot, packed, found)
  end
  if not expiresAt then
    return nil
  end
  redis.call('HDEL', keys.slots, slot)
  if expiresAt > 0 then
    redis.call('ZREM', keys.due, slot)
  end
  if pool then
    slots.writeFree(keys)
  end
  plain.keepPast(keys, slot, packed, 1, nowMs)
  return 'RELINQUISHED\n', slot
end

-- Writes the history of some names and their records, if the tenant keeps one.
local function writePast(key, kept, names, records, nowMs, nowUs)
  if kept == 0 then
    return
  end
  local past, time, size = {}, history.timeText(nowMs), 0
  for i = 1, #names do
    local value = history.valueOf(names[i], time, '', records[i])
    past[2 * i - 1], past[2 * i], size = 'R', value, size + #value
  end
  tenant.notePast(#names, size)
  history.sendAll(key, kept, nowUs, past)
end

-- Carries out all items. Returns their texts, joined; nil if the request must go the general way.
local function releaseAll(keys, args, nowMs, nowUs, names, ofPools)
  local records = redis.call('HMGET', keys.slots, unpack(names))
  local texts, due, isNamed, at = {}, {}, {}, FIRST
  for i = 1, #names do
    local name, packed = names[i], records[i]
    local expiresAt = packed and not isNamed[name] and endOfReleased(keys, args, at, packed)
    if not expiresAt then
      return nil
    elseif expiresAt > 0 then
      due[#due + 1] = name
    end
    isNamed[name], texts[i], at = true, 'RELINQUISHED\n' .. name, at + ITEM_SIZE
  end
  if ofPools then
    slots.markAll(keys, names, 1, false)
  end
  redis.call('HDEL', keys.slots, unpack(names))
  if due[1] then
    redis.call('ZREM', keys.due, unpack(due))
  end
  writePast(keys.history, tenant.remove(#names), names, records, nowMs, nowUs)
  return table.concat(texts, '\r')
end

-- Releases what long polls of the instance wait for. Returns as the verb does.
local function releaseTo(keys, args)
  local nowMs = plain.begin(keys, args, 1)
  local texts = nowMs and handOver(keys, args, nowMs)
  if texts then
    return answers.remember(keys.answer, plain.finish(keys, texts, 1, #args[FIRST]))
  end
  return plain.giveUp()
end

return function(keys, args)
  if args[2] == 'h' then
    if #args == FIRST + ITEM_SIZE then
      return releaseTo(keys, args)
    end
    return nil
  end
  local number, names, ofPools = (#args - FIRST + 1) / ITEM_SIZE, nil, nil
  if number < 1 then
    return nil
  end
  local work, length = number, #args[FIRST]
  if number > 1 then
    names, ofPools, work, length = plain.readNames(args, FIRST, ITEM_SIZE)
    if not names then
      return nil
    end
  end
  local nowMs, nowUs = plain.begin(keys, args, number)
  if not nowMs or tenant.areAnyLabelled() and mayBeLabelled(keys, names or { args[FIRST] }, ofPools) then
    return plain.giveUp()
  end
  local texts, name = (names and releaseAll or releaseOne)(keys, args, nowMs, nowUs, names, ofPools)
  if texts then
    return answers.remember(keys.answer, plain.finish(keys, texts, work, length, name))
  end
  return plain.giveUp()
end
