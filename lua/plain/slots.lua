-- The plain way of a request for one slot of a pool, or for a name that a pool could get as a slot: what of it is in
-- the hash `pools` (lua/slots/pools.lua).
local codec = require('slots/codec')
local plain = require('plain/plain')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local reservationEvents = require('events/reservations')
local tenant = require('plain/tenant')
local slots = {}

local find, floor, format = string.find, math.floor, string.format
local CHUNK_SLOTS = pools.CHUNK_SLOTS
local FULL = 'NOT_AVAILABLE'

-- The fields of the hash `pools` to write and to remove.
local set, del

-- Returns what the only name of a request means: true; if it has the form of a slot's name, the pool and the index;
-- if it is that of a pool or one of its slots, that pool, the index (nil for any) and the capacity. Returns nil if the
-- request must go the general way.
function slots.meaningOf(keys, name)
  local pool, index = pools.split(name)
  if tenant.definitions == 0 then
    return true, pool, index
  end
  local packed = plain.definitionOf(keys[6], name)
  if packed then
    pool, index = name, nil
  elseif find(name, '>', 1, true) then
    return nil
  elseif pool then
    packed = plain.definitionOf(keys[6], pool)
  end
  if not packed then
    return true, pool, index
  end
  local capacity = registry.capacityAlone(packed)
  if capacity and capacity > 1 and (not index or index < capacity) and not tenant.isAnyClosing() then
    return true, pool, index, capacity
  end
end

-- Adds a chunk of a bitmap to what is written.
local function putChunk(field, chunk)
  chunk = pools.trimmed(chunk)
  if chunk == '' then
    del[#del + 1] = field
  else
    set[#set + 1], set[#set + 2] = field, chunk
  end
end

-- Marks a plain name that a pool could get as a slot. write() writes that.
function slots.mark(keys, pool, index, isHeld)
  local field = pools.chunkField(pool, floor(index / CHUNK_SLOTS))
  set, del = {}, {}
  putChunk(field, pools.marked(redis.call('HGET', keys[5], field) or '', index, isHeld))
end

-- Writes what was changed of the hash `pools`.
function slots.write(keys)
  if del[1] then
    redis.call('HDEL', keys[5], unpack(del))
  end
  if set[1] then
    for at = 1, #set, 2 do
      tenant.noteWritten(#set[at] + #set[at + 1])
    end
    redis.call('HSET', keys[5], unpack(set))
  end
end

-- Finds a free slot of a pool, for a requester that has none: that of the index if there is one. Returns the slot, or
-- FULL; nil if the request must go the general way. Notes what the hash `pools` gets.
local function takeSlot(keys, owner, pool, index, capacity)
  local chunk, assigned = index and floor(index / CHUNK_SLOTS) or 0, pool .. '\n' .. owner
  local field = pools.chunkField(pool, chunk)
  local found = redis.call('HMGET', keys[5], pool, field, assigned)
  local held, from = pools.unpackPool(found[1])
  if not index and found[3] or redis.call('HGET', keys[3], pool) then
    -- The requester has a slot, or the pool's own name is held, as before it was a pool.
    return nil
  elseif held >= capacity then
    return FULL
  end
  local bytes = found[2] or ''
  set, del = {}, {}
  if not index then
    chunk = floor(from / CHUNK_SLOTS)
    if chunk > 0 then
      field = pools.chunkField(pool, chunk)
      bytes = redis.call('HGET', keys[5], field) or ''
    end
    local free = pools.freeIn(bytes, floor(from % CHUNK_SLOTS / 8) + 1)
    from = free and chunk * CHUNK_SLOTS + free or capacity
    index = from
    set[1], set[2] = assigned, format('%s_%d', pool, from)
  end
  local slot = set[2] or format('%s_%d', pool, index)
  if index >= capacity or find(slot, '[%c"\\/]') then
    return nil
  end
  set[#set + 1], set[#set + 2] = pool, pools.packPool(held + 1, from)
  putChunk(field, pools.marked(bytes, index, true))
  return slot
end

-- Reserves a slot for the only item of a request, whose arguments begin at `at`. Takes what meaningOf() returned.
-- Returns the text of the item; nil if the request must go the general way.
function slots.reserve(keys, args, at, pool, index, capacity, nowMs)
  local name, owner, ttlMs, type, token = args[at], args[at + 1], args[at + 2], args[at + 3], args[at + 4]
  if index and redis.call('HGET', keys[3], name) then
    return nil
  end
  local slot, expiresAt = takeSlot(keys, owner, pool, index, capacity), ttlMs == '' and 0 or nowMs + ttlMs
  if slot == FULL then
    if plain.isHeard then
      reservationEvents.addFailed(tenant.label, name, owner, type, FULL)
    end
    return FULL .. '\n' .. FULL
  end
  local fence = slot and tenant.add(expiresAt)
  if not fence then
    return nil
  end
  local slotText = '{"' .. pool .. '":"' .. slot .. '"}'
  local details = '{"s":' .. slotText .. '}'
  local packed = codec.packSlot(
    owner, pool, index ~= nil, fence, nowMs, expiresAt, token, type, tenant.label, name, details
  )
  redis.call('HSET', keys[3], slot, packed)
  if expiresAt > 0 then
    redis.call('ZADD', keys[4], expiresAt, slot)
  end
  slots.write(keys)
  tenant.note(slot, packed, expiresAt)
  if plain.isHeard then
    reservationEvents.addMade(tenant.label, name, owner, type, format('%d', fence), expiresAt, slotText)
  end
  return format('ACQUIRED\nACQUIRED\n%d\n%d\n', fence, expiresAt) .. token .. '\n' .. details
end

-- Returns the slot of a registered pool that a requester was assigned, and its record; nil if there is none.
function slots.assignedTo(keys, name, owner)
  local packed = tenant.definitions > 0 and plain.definitionOf(keys[6], name)
  local capacity = packed and registry.capacityAlone(packed)
  local slot = capacity and capacity > 1 and redis.call('HGET', keys[5], name .. '\n' .. owner)
  if slot then
    return slot, redis.call('HGET', keys[3], slot)
  end
end

-- Releases a slot of a pool for the only item of a request, whose arguments begin at `at`. Takes the slot and its
-- record. Returns when its lease would have ended; nil if the request must go the general way.
function slots.release(keys, args, at, slot, packed)
  local owner, pool, byName, expiresAt, token, type, requestedName = codec.unpackSlot(packed)
  if not owner or owner ~= args[at + 1] or token ~= args[at + 2] then
    return nil
  end
  local _, index = pools.split(slot)
  local field = pools.chunkField(pool, floor(index / CHUNK_SLOTS))
  local found = redis.call('HMGET', keys[5], pool, field)
  local held, from = pools.unpackPool(found[1])
  set, del = {}, { not byName and pool .. '\n' .. owner or nil }
  if held > 1 then
    set[1], set[2] = pool, pools.packPool(held - 1, from < index and from or index)
  else
    del[#del + 1] = pool
  end
  putChunk(field, pools.marked(found[2] or '', index, false))
  if plain.isHeard then
    reservationEvents.addReleased(tenant.label, requestedName, owner, type, tenant.actor())
  end
  return expiresAt
end

return slots
