-- The tenant's slots as this call sees and changes them. Scripts decide on these tables and write once, at the end, by
-- commit(): a Redis command that fails earlier has changed nothing, and what was done since a mark can be undone.
--   records[slot]   its record (codec.lua), false where it is free, nil where it was not read
--   original[slot]  the same as it was read, of slots that were changed
--   pools[pool]     what is taken of a pool: held, how many of its slots are, and stored, how many were; taken and freed, the
--                   indexes that this call took and freed; from, below which no other is free; and assigned, owner → the
--                   slot that the owner has of the pool, false for none
-- Besides the slots themselves, and in step with them: a bitmap a pool of the indexes that are held; for each owner in a pool
-- the slot that it has there; and, of slots that are no pool's, how many there are under each name that could become a pool's.
local records, original, changed = {}, {}, {}
local pools = {}
local journal = {}
local dueStale = false

-- Slots that the request's plans have come to so far, taken, released or only looked at; and the most that one request may come
-- to, so that none keeps Redis busy for long.
local planned = 0
local MOST_PLANNED = 5000

-- The refusal of a request that comes to too many, whole: what it did is not committed. Takes the item's place, from 0.
local function tooMuch(place)
  return { 'REFUSED', place .. '.resource takes the request over ' .. MOST_PLANNED .. ' slots: send fewer items at a time' }
end

-- The index of a slot in the pool whose name it begins with: pool, index; nil where the name is none of a slot, as with an index
-- of more digits than any capacity has (MAX_CAPACITY in src/config.ts), or with a leading zero.
local poolNames, poolIndexes = {}, {}
local function slotIndex(slot)
  local known = poolNames[slot]
  if known == nil then
    local pool, index = string.match(slot, '^(.+)_(%d+)$')
    known = pool and #index < 7 and (index == '0' or string.byte(index) ~= 48) and pool or false
    poolNames[slot], poolIndexes[slot] = known, tonumber(index)
  end
  if known then
    return known, poolIndexes[slot]
  end
end

local assignedKey = base .. 'assigned:' .. epoch

local function bitsKey(pool)
  return base .. 'bits:' .. epoch .. ':' .. pool
end

-- Reads slots into records, those already there apart. Takes an array of names.
local function read(slots)
  local missing = {}
  for _, slot in ipairs(slots) do
    if records[slot] == nil then
      records[slot] = false
      missing[#missing + 1] = slot
    end
  end
  for from = 1, #missing, 1000 do
    local found = redis.call('HMGET', slotsKey, unpack(missing, from, math.min(from + 999, #missing)))
    for i, packed in ipairs(found) do
      local slot = missing[from + i - 1]
      records[slot] = packed and unpackRecord(slot, packed)
    end
  end
end

-- The record of a slot; false where it is free.
local function at(slot)
  local record = records[slot]
  if record == nil then
    local packed = redis.call('HGET', slotsKey, slot)
    record = packed and unpackRecord(slot, packed)
    records[slot] = record
  end
  return record
end

local function poolOf(name)
  local pool = pools[name]
  if not pool then
    local stored = redis.call('BITCOUNT', bitsKey(name))
    pool = { held = stored, stored = stored, taken = {}, freed = {}, from = 0, assigned = {} }
    pools[name] = pool
  end
  return pool
end

-- How many slots of a resource are held, those included that bear names it had with another capacity.
local function heldOf(name)
  return poolOf(name).held + (at(name) and 1 or 0)
end

-- How far it is from an index to the first at or after it that is free in the stored bitmap; reads that in bites, of which a
-- batch needs few.
local BITE_BYTES = 128
local function toFree(name, index)
  local pool = pools[name]
  local first = math.floor(index / 8)
  if not pool.bite or first < pool.biteAt or first >= pool.biteAt + BITE_BYTES then
    pool.bite, pool.biteAt = redis.call('GETRANGE', bitsKey(name), first, first + BITE_BYTES - 1), first
  end
  local byte = string.byte(pool.bite, first - pool.biteAt + 1) or 0
  local distance = 0
  while bit.band(byte, bit.rshift(128, index % 8 + distance)) ~= 0 do
    distance = distance + 1
  end
  return distance
end

-- The lowest index that is free. Takes the pool's name; there must be one.
local function lowestFree(name)
  local pool = poolOf(name)
  local lowest = math.huge
  for index in pairs(pool.freed) do
    lowest = math.min(lowest, index)
  end
  if pool.from == 0 and pool.stored > 0 then
    -- Many may be held below: Redis looks over them faster. Where the bitmap has no zero, what lies beyond its end is free.
    local index = redis.call('BITPOS', bitsKey(name), 0)
    pool.from = index >= 0 and index or redis.call('STRLEN', bitsKey(name)) * 8
  end
  while pool.from < lowest do
    local distance = pool.stored > 0 and toFree(name, pool.from) or 0
    if distance == 0 and not pool.taken[pool.from] then
      break
    end
    pool.from = pool.from + math.max(distance, 1)
  end
  return math.min(lowest, pool.from)
end

-- The slot that an owner has of a pool; false for none.
local function assignedSlot(name, owner)
  local assigned = poolOf(name).assigned
  local slot = assigned[owner]
  if slot == nil then
    slot = poolOf(name).stored > 0 and redis.call('HGET', assignedKey, name .. '\n' .. owner)
    assigned[owner] = slot
  end
  if slot then
    return slot
  end
  local record = at(name)
  return record and record.owner == owner and name
end

-- Counts a slot of a pool in (1) or out (-1), in the tables of this call.
local function account(slot, record, change)
  local pool = poolOf(record.pool)
  local _, index = slotIndex(slot)
  pool.held = pool.held + change
  if change == 1 then
    pool.taken[index] = not pool.freed[index] or nil
    pool.freed[index] = nil
  else
    pool.freed[index] = not pool.taken[index] or nil
    pool.taken[index] = nil
    pool.from = pool.freed[index] and pool.from or math.min(pool.from, index)
  end
  if not record.byName then
    pool.assigned[record.owner] = change == 1 and slot
  end
end

-- Gives a slot another record, or frees it where that is false. The slot was read, or is known to be free.
local function put(slot, record)
  local before = records[slot] or false
  if original[slot] == nil then
    original[slot] = before
    changed[#changed + 1] = slot
  end
  journal[#journal + 1] = slot
  journal[#journal + 1] = before
  count = count - (before and before.token and 1 or 0) + (record and record.token and 1 or 0)
  if before and before.pool ~= '' then
    account(slot, before, -1)
  end
  if record and record.pool ~= '' then
    account(slot, record, 1)
  end
  records[slot] = record
end

-- Undoes all since the journal was so long, the last first.
local function undo(mark)
  while #journal > mark do
    local slot, before = journal[#journal - 1], journal[#journal]
    put(slot, before)
    for _ = 1, 4 do
      journal[#journal] = nil
    end
  end
end

-- The record with some of its fields replaced.
local function with(record, fields)
  local copy = {}
  for name, value in pairs(record) do
    copy[name] = value
  end
  for name, value in pairs(fields) do
    copy[name] = value
  end
  return copy
end

-- Lets go of one need of a slot that was read; frees it and names it in freed where that was the last.
local function letGo(slot, freed)
  local record = records[slot]
  if record.needs > 1 then
    put(slot, with(record, { needs = record.needs - 1 }))
  else
    put(slot, false)
    freed[#freed + 1] = slot
  end
end

-- Ends the reservation that stands on a slot and undoes what its own plan took, as it was recorded then (decisions, section 4).
-- Returns the slots that became free, its own first.
local function release(slot)
  local record, freed = at(slot), {}
  planned = planned + 1
  if record.needs > 1 then
    put(slot, { owner = record.owner, needs = record.needs - 1, pool = record.pool, byName = record.byName })
  else
    letGo(slot, freed)
  end
  if record.plan ~= '' then
    for other in string.gmatch(record.plan, '[^\n]+') do
      at(other)
      letGo(other, freed)
      planned = planned + 1
    end
  end
  return freed
end

-- Ends what is due, the earliest first, at most limit reservations and fewer where their plans are long; every script that looks
-- at slots calls it first, so none ever sees an expired reservation. Returns true where more may be due: the script then
-- commits and answers {'AGAIN'}, to be called again, so that no single call takes long.
local function expire(limit)
  if nextDue > nowMs then
    return false
  end
  dueStale = true
  local slots = redis.call('ZRANGE', dueKey, '-inf', nowMs, 'BYSCORE', 'LIMIT', 0, limit)
  read(slots)
  for i, slot in ipairs(slots) do
    local record = records[slot]
    release(slot)
    tell('RESERVATION_EXPIRED', 'EXPIRE', record.asked, record.owner, 'EXPIRED', record.type, record.label)
    tell('UNRESERVED', 'EXPIRE', record.asked, record.owner, 'RELINQUISHED', record.type, record.label)
    if planned > 1000 and i < #slots then
      return true
    end
  end
  planned = 0
  return #slots == limit
end

-- Calls a variadic command with a list as long as it may be, as often as it takes; a thousand is a whole number of pairs and of
-- BITFIELD's fours.
local function callWith(command, key, list)
  for from = 1, #list, 1000 do
    redis.call(command, key, unpack(list, from, math.min(from + 999, #list)))
  end
end

-- Writes what has changed, all of it, and publishes what there is to tell of it. Takes the usage that is charged for it (charge.lua),
-- nil for none.
local function commit(charged)
  local set, del, due, undue, assign, unassign, loose = {}, {}, {}, {}, {}, {}, {}
  local bits = {}
  for _, slot in ipairs(changed) do
    local before, record = original[slot], records[slot]
    if record ~= before then
      if record then
        set[#set + 1] = slot
        set[#set + 1] = pack(slot, record)
      else
        del[#del + 1] = slot
      end
      local ended, made = before and before.token, record and record.token
      local dueBefore, dueNow = ended and before.expiresAt or 0, made and record.expiresAt or 0
      if dueNow > 0 and dueNow ~= dueBefore then
        due[#due + 1] = dueNow
        due[#due + 1] = slot
        nextDue = math.min(nextDue, dueNow)
      elseif dueNow == 0 and dueBefore > 0 then
        undue[#undue + 1] = slot
      end
      local poolBefore, pool = before and before.pool, record and record.pool
      if poolBefore ~= pool then
        local name, index = slotIndex(slot)
        if name then
          -- A slot of no pool may become one's: it is counted under the name that the pool would have.
          loose[name] = (loose[name] or 0) - (poolBefore == '' and 1 or 0) + (pool == '' and 1 or 0)
          if poolBefore and poolBefore ~= '' or pool and pool ~= '' then
            local flips = bits[name] or {}
            bits[name] = flips
            flips[#flips + 1] = 'SET'
            flips[#flips + 1] = 'u1'
            flips[#flips + 1] = index
            flips[#flips + 1] = pool and pool ~= '' and 1 or 0
          end
        end
      end
      local assignedBefore = before and before.pool ~= '' and not before.byName and before.owner
      local assignedNow = record and record.pool ~= '' and not record.byName and record.owner
      if assignedBefore and assignedBefore ~= assignedNow then
        unassign[#unassign + 1] = before.pool .. '\n' .. assignedBefore
      end
      if assignedNow and assignedBefore ~= assignedNow then
        assign[#assign + 1] = record.pool .. '\n' .. assignedNow
        assign[#assign + 1] = slot
      end
    end
  end
  callWith('HSET', slotsKey, set)
  callWith('HDEL', slotsKey, del)
  callWith('ZADD', dueKey, due)
  callWith('ZREM', dueKey, undue)
  callWith('HDEL', assignedKey, unassign)
  callWith('HSET', assignedKey, assign)
  for name, flips in pairs(bits) do
    callWith('BITFIELD', bitsKey(name), flips)
    if poolOf(name).stored == 0 then
      redis.call('SADD', base .. 'pools:' .. epoch, name)
    end
  end
  for name, change in pairs(loose) do
    if change ~= 0 and redis.call('HINCRBY', base .. 'loose:' .. epoch, name, change) == 0 then
      redis.call('HDEL', base .. 'loose:' .. epoch, name)
    end
  end
  if dueStale then
    nextDue = tonumber(redis.call('ZRANGE', dueKey, 0, 0, 'WITHSCORES')[2] or math.huge)
  end
  local fields = {}
  if dueStale or #changed > 0 then
    fields = { 'count', count, 'fence', string.format('%d', fence) }
    if nextDue ~= nextDueBefore then
      fields[5], fields[6] = 'nextDue', nextDue
    end
    if indexed ~= indexedBefore then
      fields[#fields + 1] = 'indexed'
      fields[#fields + 1] = indexed
    end
  end
  if charged then
    fields[#fields + 1] = 'usage'
    fields[#fields + 1] = charged
  end
  callWith('HSET', KEYS[1], fields)
  publish()
end
