-- Reserves plain names, or one slot of a pool (docs/specification.md#reserve). Takes the keys and arguments of
-- lua/verbs/reservations.lua, and returns its reply; or nil and what was read of the tenant, nil nothing:
-- then nothing has been changed, and the request goes the general way.
local codec = require('slots/codec')
local events = require('events/events')
local plain = require('plain/plain')
local reservationEvents = require('events/reservations')
local slots = require('plain/slots')
local tenant = require('plain/tenant')

local ITEM_SIZE, FIRST = 5, 5
local ACQUIRED, ALREADY_HAD = 'ACQUIRED\nACQUIRED\n', 'ALREADY_HAD\nALREADY_HAD\n'
local HELD = 'ALREADY_HELD'
local ALREADY_HELD = HELD .. '\n' .. HELD .. '\n'
local byte, concat, format, sub = string.byte, table.concat, string.format, string.sub

-- Returns true if no item has a session, waits, asks for several slots or has options.
local function areSimple(args)
  for at = FIRST, #args, ITEM_SIZE do
    local rare = args[at + 4]
    -- 115 is the s of a session. Of the rare fields (frame/items.lua), it may have a type, which comes first.
    if byte(args[at + 2]) == 115 or rare ~= '' and sub(rare, -3) ~= '\n\n\n' then
      return false
    end
  end
  return args[FIRST] and args[4] == ''
end

-- Returns the record of the reservation that an item makes, with its fencing token, and when it ends; nil if the
-- request must go the general way.
local function make(args, at, nowMs)
  local expiresAt = plain.endOf(args[at + 2], nowMs)
  local fence = tenant.add(expiresAt)
  return fence and
    codec.packPlain(args[at + 1], fence, nowMs, expiresAt, args[at + 3], plain.typeOf(args[at + 4]), tenant.label),
    fence, expiresAt
end

-- Returns the text of an item that has made a reservation.
local function textOfMade(args, at, packed, fence, expiresAt)
  tenant.note(args[at], packed, expiresAt)
  local digits = format('%d', fence)
  if plain.isHeard and events.isWanted('RESERVED', args[at + 1]) then
    reservationEvents.addMade(
      tenant.label, args[at], args[at + 1], plain.typeOf(args[at + 4]), digits, expiresAt
    )
  end
  if expiresAt == 0 then
    return ACQUIRED .. digits .. '\n0\n' .. args[at + 3] .. '\n'
  end
  return ACQUIRED .. digits .. format('\n%d\n', expiresAt) .. args[at + 3] .. '\n'
end

-- Returns the text of an item whose resource is held, with its record; nil if the record is not of the plain form.
local function textOfHeld(args, at, packed)
  local owner, fence, reservedAt, expiresAt, token = codec.unpackPlain(packed)
  if owner == args[at + 1] then
    -- The same token means a retry of the call that made the reservation.
    local status = token == args[at + 3] and ACQUIRED or ALREADY_HAD
    return status .. format('%d\n%d\n', fence, expiresAt) .. token .. '\n'
  elseif not owner then
    return nil
  end
  if plain.isHeard and events.isWanted('RESERVE_FAILED', args[at + 1]) then
    reservationEvents.addFailed(tenant.label, args[at], args[at + 1], plain.typeOf(args[at + 4]), HELD)
  end
  return ALREADY_HELD .. args[at] .. '\n' .. owner .. format('\n%d\n%d\n', reservedAt, expiresAt)
end

-- Carries out the only item of a request, a plain name; `pool` and `slotNumber` are what it means if a pool could get
-- it as a slot. Returns its text; nil if it must go the general way.
local function reserveName(keys, args, name, pool, slotNumber, nowMs)
  local packed, fence, expiresAt = make(args, FIRST, nowMs)
  if not packed or tenant.isAwaited(keys, name) then
    return nil
  elseif pool then
    slots.mark(keys, pool, slotNumber)
  end
  if redis.call('HSETNX', keys.slots, name, packed) == 0 then
    tenant.undo()
    return textOfHeld(args, FIRST, redis.call('HGET', keys.slots, name))
  elseif expiresAt > 0 then
    redis.call('ZADD', keys.due, expiresAt, name)
  end
  if pool then
    slots.writeHeld(keys)
  end
  return textOfMade(args, FIRST, packed, fence, expiresAt)
end

-- Carries out the only item of a request. Returns its text; nil if it must go the general way.
local function reserveOne(keys, args, nowMs)
  local name = args[FIRST]
  local isSimple, pool, slotNumber, capacity = slots.meaningOf(keys, name)
  if capacity and tenant.isAwaited(keys) then
    return nil
  elseif capacity then
    return slots.reserve(keys, args, FIRST, pool, slotNumber, capacity, nowMs)
  elseif isSimple then
    return reserveName(keys, args, name, pool, slotNumber, nowMs)
  end
end

-- Returns true if some names, or pools that could get them as slots, are registered.
local function areAnyDefined(key, names, ofPools)
  return tenant.definitions > 0 and
    (plain.areAnyDefined(key, names) or ofPools and plain.areAnyDefined(key, ofPools))
end

-- Carries out all items. Returns their texts, joined; nil if the request must go the general way.
local function reserveAll(keys, args, nowMs, names, ofPools)
  if areAnyDefined(keys.definitions, names, ofPools) then
    return nil
  end
  local texts, set, due, made = {}, {}, {}, {}
  local found = redis.call('HMGET', keys.slots, unpack(names))
  local at, sets, dues = FIRST, 0, 0
  for i = 1, #names do
    local name = names[i]
    local held = found[i] or made[name]
    if held then
      texts[i] = textOfHeld(args, at, held)
      if not texts[i] then
        return nil
      end
    else
      local packed, fence, expiresAt = make(args, at, nowMs)
      if not packed then
        return nil
      end
      made[name], set[sets + 1], set[sets + 2], sets = packed, name, packed, sets + 2
      if expiresAt > 0 then
        due[dues + 1], due[dues + 2], dues = expiresAt, name, dues + 2
      end
      texts[i] = textOfMade(args, at, packed, fence, expiresAt)
    end
    at = at + ITEM_SIZE
  end
  if sets > 0 then
    if ofPools then
      slots.markAll(keys, set, 2, true)
    end
    redis.call('HSET', keys.slots, unpack(set))
  end
  if dues > 0 then
    redis.call('ZADD', keys.due, unpack(due))
  end
  return concat(texts, '\r')
end

return function(keys, args)
  local number, names, ofPools = (#args - FIRST + 1) / ITEM_SIZE, nil, nil
  if not areSimple(args) then
    return nil
  end
  local work, length = number, #args[FIRST]
  if number > 1 then
    names, ofPools, work, length = plain.readNames(args, FIRST, ITEM_SIZE)
    if not names then
      return nil
    end
  end
  local nowMs, texts = plain.begin(keys, args, number), nil
  if nowMs and names then
    texts = reserveAll(keys, args, nowMs, names, ofPools)
  elseif nowMs then
    texts = reserveOne(keys, args, nowMs)
  end
  if texts then
    return plain.finish(keys, args, texts, work, length)
  end
  return plain.giveUp()
end
