-- The tenant's slots as this call sees and changes them. Scripts decide on these tables and write once, at the end, by
-- commit(): a Redis command that fails earlier has changed nothing, and an operation can be dropped by not committing.
--   records[slot]  the slot's packed record (see codec.lua), false where it is free, nil where it was not read
--   dues[slot]     ms at which the reservation on the slot is due, false where it no longer is
local records, dues = {}, {}
local changed, order = {}, {}
local dueStale = false

-- Reads the given slots into records, those already there apart. Takes an array of names.
local function read(slots)
  local missing = {}
  for _, slot in ipairs(slots) do
    if records[slot] == nil then
      records[slot] = false
      missing[#missing + 1] = slot
    end
  end
  if #missing > 0 then
    local found = redis.call('HMGET', slotsKey, unpack(missing))
    for i, slot in ipairs(missing) do
      records[slot] = found[i]
    end
  end
end

-- Gives a slot a new record, or frees it where the record is false.
local function put(slot, record)
  records[slot] = record
  if not changed[slot] then
    changed[slot] = true
    order[#order + 1] = slot
  end
end

-- Puts a reservation on a free slot that was read. ttlMs '' never ends. Returns its fencing token and expiry (ms or 0).
local function take(slot, owner, ttlMs, token, resourceType)
  fence = math.max(fence + 1, nowUs)
  local expiresAt = 0
  if ttlMs ~= '' then
    expiresAt = nowMs + ttlMs
    dues[slot] = expiresAt
  end
  put(slot, struct.pack(RESERVATION, 2, 1, owner, fence, nowMs, expiresAt, token, resourceType, keyLabel))
  count = count + 1
  return fence, expiresAt
end

-- Ends the reservation on a slot that was read and frees what it held. Takes the slot and the reservation's expiry (ms or 0).
local function drop(slot, expiresAt)
  put(slot, false)
  if expiresAt > 0 then
    dues[slot] = false
  end
  count = count - 1
end

-- Ends what is due, the earliest first, at most limit reservations; every script calls it before it looks at anything,
-- so none ever sees an expired reservation. Returns true where more may be due: the script then commits and answers
-- {'AGAIN'}, to be called again, so that no single call takes long.
local function expire(limit)
  if nextDue > nowMs then
    return false
  end
  dueStale = true
  local slots = redis.call('ZRANGE', dueKey, '-inf', nowMs, 'BYSCORE', 'LIMIT', 0, limit)
  read(slots)
  for _, slot in ipairs(slots) do
    drop(slot, 1)
  end
  return #slots == limit
end

-- Writes what has changed, all of it.
local function commit()
  local set, del, due, undue = {}, {}, {}, {}
  for _, slot in ipairs(order) do
    local record, at = records[slot], dues[slot]
    if record then
      set[#set + 1] = slot
      set[#set + 1] = record
    else
      del[#del + 1] = slot
    end
    if at then
      due[#due + 1] = at
      due[#due + 1] = slot
      if at < nextDue then
        nextDue = at
      end
    elseif at == false then
      undue[#undue + 1] = slot
    end
  end
  if #set > 0 then
    redis.call('HSET', slotsKey, unpack(set))
  end
  if #del > 0 then
    redis.call('HDEL', slotsKey, unpack(del))
  end
  if #due > 0 then
    redis.call('ZADD', dueKey, unpack(due))
  end
  if #undue > 0 then
    redis.call('ZREM', dueKey, unpack(undue))
  end
  if dueStale then
    nextDue = tonumber(redis.call('ZRANGE', dueKey, 0, 0, 'WITHSCORES')[2] or math.huge)
  end
  if dueStale or #order > 0 then
    redis.call('HSET', KEYS[1], 'count', count, 'fence', fence, 'nextDue', nextDue, 'indexed', indexed)
  end
end
