-- The plain way of a request for one slot of a pool, or for a name that a pool could get as a slot: what of it is in
-- the hash `pools` (lua/slots/pools.lua).
local codec = require('slots/codec')
local conditions = require('plain/conditions')
local conditionTexts = require('reservations/conditionTexts')
local events = require('events/events')
local plain = require('plain/plain')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local reservationEvents = require('events/reservations')
local tenant = require('plain/tenant')
local values = require('slots/poolValues')
local slots = {}

local find, floor, format = string.find, math.floor, string.format
local CHUNK_SLOTS = pools.CHUNK_SLOTS
local FULL = 'NOT_AVAILABLE'

-- The values to write into the hash `pools`: the bitmap's field, the chunk as it was, and the number that is marked in
-- it; and, unless the slot is a plain name, the pool, its value ('' none), the owner's field (nil if the slot is held
-- by its own name) and the slot.
local field, chunk, slotNumber, pool, value, assigned, slot
-- Of a request for a slot: the pool's value as it was, false none; and true if some slots may not be ready.
local valueBefore, hasConditions

-- Returns what the only name of a request means: true; if it has the form of a slot's name, the pool and the number;
-- if it is that of a pool or one of its slots, that pool, the number (nil for any) and the capacity. Returns nil if the
-- request must go the general way.
function slots.meaningOf(keys, name)
  local ofPool, nth = pools.split(name)
  if tenant.definitions == 0 then
    return true, ofPool, nth
  end
  local packed = plain.definitionOf(keys.definitions, name)
  if packed then
    ofPool, nth = name, nil
  elseif find(name, '>', 1, true) then
    return nil
  elseif ofPool then
    packed = plain.definitionOf(keys.definitions, ofPool)
  end
  if not packed then
    return true, ofPool, nth
  end
  local capacity, isSingle
  capacity, isSingle, hasConditions = registry.capacityAlone(packed)
  if not capacity or tenant.isAnyClosing() then
    return nil
  elseif isSingle then
    return true, pools.split(name)
  elseif capacity > 1 and (not nth or nth < capacity) then
    return true, ofPool, nth, capacity
  end
end

-- Marks a plain name that a pool could get as a slot, as held or free once that is written (writeHeld(), writeFree()).
-- Takes what meaningOf() returned.
function slots.mark(keys, name, nth)
  pool, slotNumber, assigned = nil, nth, nil
  field = pools.chunkField(name, floor(slotNumber / CHUNK_SLOTS))
  chunk = redis.call('HGET', keys.pools, field) or ''
end

-- Writes that a slot is held.
function slots.writeHeld(keys)
  local marked = pools.marked(chunk, slotNumber, true)
  local size = #field + #marked
  if not pool then
    tenant.noteWritten(1, size)
    redis.call('HSET', keys.pools, field, marked)
  elseif not assigned then
    tenant.noteWritten(2, size + #pool + #value)
    redis.call('HSET', keys.pools, field, marked, pool, value)
  else
    tenant.noteWritten(3, size + #pool + #value + #assigned + #slot)
    redis.call('HSET', keys.pools, field, marked, pool, value, assigned, slot)
  end
end

-- Writes a field of the hash, '' for none.
local function put(key, name, text)
  if text == '' then
    redis.call('HDEL', key, name)
  else
    tenant.noteWritten(1, #name + #text)
    redis.call('HSET', key, name, text)
  end
end

-- Writes that a slot is free.
function slots.writeFree(keys)
  local key, marked = keys.pools, pools.trimmed(pools.marked(chunk, slotNumber, false))
  if assigned then
    redis.call('HDEL', key, assigned)
  end
  if pool and value ~= '' and marked ~= '' then
    tenant.noteWritten(2, #field + #marked + #pool + #value)
    redis.call('HSET', key, field, marked, pool, value)
    return
  end
  put(key, field, marked)
  if pool then
    put(key, pool, value)
  end
end

-- Marks plain names in the bitmaps of pools that could get them as slots. Takes a list, with a name at every `step`-th
-- place from the first.
function slots.markAll(keys, names, step, isHeld)
  local fields, marked, marks, n = {}, {}, {}, 0
  for at = 1, #names, step do
    local ofPool, nth = pools.split(names[at])
    if ofPool then
      local one = pools.chunkField(ofPool, floor(nth / CHUNK_SLOTS))
      if not marked[one] then
        fields[#fields + 1], marked[one] = one, ''
      end
      marks[n + 1], marks[n + 2], n = one, nth, n + 2
    end
  end
  local found = fields[1] and redis.call('HMGET', keys.pools, unpack(fields))
  for i = 1, #fields do
    marked[fields[i]] = found[i] or ''
  end
  for at = 1, n, 2 do
    marked[marks[at]] = pools.marked(marked[marks[at]], marks[at + 1], isHeld)
  end
  for i = 1, #fields do
    local bytes = pools.trimmed(marked[fields[i]])
    if bytes ~= (found[i] or '') then
      put(keys.pools, fields[i], bytes)
    end
  end
end

-- Finds the lowest slot of a pool that is free and ready, in the first chunk that may have one. Returns its number, nil
-- if there is none.
local function lowestFree(keys, from)
  local number = floor(from / CHUNK_SLOTS)
  if number > 0 then
    field = pools.chunkField(pool, number)
    chunk = redis.call('HGET', keys.pools, field) or ''
  end
  local at = floor(from % CHUNK_SLOTS / 8) + 1
  local free = hasConditions and pools.freeUnmarkedIn(chunk, conditions.out, conditions.dirty, at) or
    not hasConditions and pools.freeIn(chunk, at)
  return free and number * CHUNK_SLOTS + free
end

-- Returns why no slot of the pool is free and ready; nil if some may be. Takes how many are held. Reads which slots are
-- not ready in the chunk of a number, if there may be any.
local function whyNone(keys, held, number, capacity)
  if not hasConditions then
    return held >= capacity and FULL or nil
  end
  local out, dirty = conditions.read(keys.conditions, pool, floor(number / CHUNK_SLOTS))
  if values.heldReady(valueBefore, held) >= capacity - out - dirty then
    return FULL .. ': ' .. conditionTexts.countText(capacity, out, dirty)
  end
end

-- Returns the number of the slot that a request gets: the lowest one, or `wanted`. Returns nil and why there is none;
-- nil if the request must go the general way. Takes what the pool's value says.
local function chooseSlot(keys, held, from, wanted, capacity)
  local why = whyNone(keys, held, wanted or from, capacity)
  if wanted and hasConditions then
    -- By its own name, a slot is refused for its own condition.
    return not why and conditions.isReady(wanted) and wanted or nil
  elseif why then
    return nil, why
  end
  local number = wanted or lowestFree(keys, from)
  return number and number < capacity and number or nil
end

-- Finds a free slot of a pool, for a requester that has none: that of the number if there is one. Returns the slot; or
-- nil and why there is none, nil if the request must go the general way. writeHeld() writes what changes.
local function takeSlot(keys, owner, poolName, wanted, capacity)
  pool, assigned = poolName, poolName .. '\n' .. owner
  field = pools.chunkField(pool, wanted and floor(wanted / CHUNK_SLOTS) or 0)
  local found = redis.call('HMGET', keys.pools, pool, field, assigned)
  if not wanted and found[3] or redis.call('HGET', keys.slots, pool) then
    -- The requester has a slot, or the pool's own name is held, as before it was a pool.
    return nil
  end
  valueBefore, chunk = found[1], found[2] or ''
  local held, from = values.unpack(valueBefore)
  local number, why = chooseSlot(keys, held, from, wanted, capacity)
  if not number then
    return nil, why
  elseif wanted then
    assigned = nil
  else
    from = number
  end
  slotNumber, slot = number, format('%s_%d', pool, number)
  value = hasConditions and values.packOneMore(valueBefore, held, from) or values.pack(held + 1, from)
  return not find(slot, '[%c"\\/]') and slot or nil
end

-- Reserves a slot for the only item of a request, whose arguments begin at `at`. Takes what meaningOf() returned.
-- Returns the text of the item; nil if the request must go the general way.
function slots.reserve(keys, args, at, poolName, wanted, capacity, nowMs)
  local name, owner, token = args[at], args[at + 1], args[at + 2]
  local expiresAt, digits, type = plain.termsOf(args[at + 3], nowMs)
  if not expiresAt or wanted and redis.call('HGET', keys.slots, name) then
    return nil
  end
  local taken, why = takeSlot(keys, owner, poolName, wanted, capacity)
  if why then
    if plain.isHeard and events.isWanted('RESERVE_FAILED', owner) then
      reservationEvents.addFailed(tenant.label, name, owner, type, FULL)
    end
    return FULL .. '\n' .. why
  end
  local fence = taken and tenant.add(expiresAt)
  if not fence then
    return nil
  end
  local slotText = '{"' .. pool .. '":"' .. slot .. '"}'
  local details = '{"s":' .. slotText .. '}'
  local packed = codec.packSlot(
    owner, pool, wanted ~= nil, fence, nowMs, expiresAt, token, type, tenant.label, name, details
  )
  redis.call('HSET', keys.slots, slot, packed)
  if expiresAt > 0 then
    redis.call('ZADD', keys.due, digits, slot)
  end
  slots.writeHeld(keys)
  tenant.note(slot, packed, expiresAt)
  if plain.isHeard and events.isWanted('RESERVED', owner) then
    reservationEvents.addMade(tenant.label, name, owner, type, format('%d', fence), expiresAt, slotText)
  end
  return 'ACQUIRED\nACQUIRED\n' .. format('%d', fence) .. '\n' .. digits .. '\n' .. token .. '\n' .. details
end

-- Returns the slot of a registered pool that a requester was assigned, its record, and what was read of the hash
-- `pools`: the pool, its first chunk, and the slot. Returns nil if there is none.
function slots.assignedTo(keys, name, owner)
  local packed = tenant.definitions > 0 and plain.definitionOf(keys.definitions, name)
  local capacity = packed and registry.capacityAlone(packed)
  if capacity and capacity > 1 then
    local found = redis.call('HMGET', keys.pools, name, pools.chunkField(name, 0), name .. '\n' .. owner)
    if found[3] then
      return found[3], redis.call('HGET', keys.slots, found[3]), found
    end
  end
end

-- Returns true if a slot of the pool is ready, and its release leaves it so.
local function staysReady(keys, number)
  local packed = plain.definitionOf(keys.definitions, pool)
  if packed and registry.capacityAlone(packed) then
    conditions.read(keys.conditions, pool, floor(number / CHUNK_SLOTS))
    return conditions.isReady(number)
  end
end

-- Releases a slot of a pool for the only item of a request, whose arguments begin at `at`. Takes the slot, its record,
-- and what assignedTo() has read, nil nothing. Returns when its lease would have ended; nil if the request must go the
-- general way.
function slots.release(keys, args, at, released, packed, found)
  local owner, ofPool, byName, expiresAt, token, type, requestedName = codec.unpackSlot(packed)
  if not owner or owner ~= args[at + 1] or token ~= args[at + 2] then
    return nil
  end
  pool, assigned = ofPool, not byName and ofPool .. '\n' .. owner or nil
  local _, last = pools.split(released)
  slotNumber, field = last, pools.chunkField(pool, floor(last / CHUNK_SLOTS))
  if not found or last >= CHUNK_SLOTS then
    found = redis.call('HMGET', keys.pools, pool, field)
  end
  -- Otherwise all slots of the pool that are held are ready.
  if values.isLong(found[1]) and not staysReady(keys, last) then
    return nil
  end
  chunk, value = found[2] or '', values.packOneLess(found[1], last)
  if plain.isHeard and events.isWanted('UNRESERVED', owner) then
    reservationEvents.addReleased(tenant.label, requestedName, owner, type, tenant.actor())
  end
  return expiresAt
end

return slots
