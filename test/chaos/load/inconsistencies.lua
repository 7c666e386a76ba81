-- Looks for what does not fit together in the state of a tenant, by slots/codec.lua and frame/hot.lua of lua, which
-- read its records.
-- Nothing may be due any more, or end while it runs.
--   KEYS[1]  tenant     KEYS[2]  slots    KEYS[3]  due       KEYS[4]  pools        KEYS[5]  tickets
--   KEYS[6]  queues     KEYS[7]  waits    KEYS[8]  sessions  KEYS[9]  sessionsDue
-- Returns lines that say what is wrong.
local wrong = {}
local function note(text, ...)
  wrong[#wrong + 1] = string.format(text, ...)
end

-- Slots that reservations need: each its own slot, and the slots of its plan.
local records, needed, held, count, moreSlots = {}, {}, {}, 0, 0
local due = redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')
local dueAt = {}
for i = 1, #due, 2 do
  dueAt[due[i]] = tonumber(due[i + 1])
end
local found = redis.call('HGETALL', KEYS[2])
for i = 1, #found, 2 do
  local slot, record = found[i], codec.unpackRecord(found[i], found[i + 1])
  records[slot] = record
  if record.pool ~= '' then
    held[record.pool] = (held[record.pool] or 0) + 1
    local assigned = redis.call('HGET', KEYS[4], record.pool .. '\n' .. record.owner)
    if not record.byName and assigned ~= slot then
      note('%s of %s: the pool %s has %s', slot, record.owner, record.pool, tostring(assigned))
    end
  end
  if record.token then
    count = count + 1
    needed[slot] = (needed[slot] or 0) + 1
    for other in string.gmatch(record.plan, '([^\n]+)\n') do
      needed[other] = (needed[other] or 0) + 1
    end
    if string.find(record.details, '"o":', 1, true) then
      moreSlots = moreSlots + math.max(0, #(cjson.decode(record.details).o or {}) - 1)
    end
    if (dueAt[slot] or 0) ~= record.expiresAt then
      note('%s ends at %.0f, but is due at %.0f', slot, record.expiresAt, dueAt[slot] or 0)
    end
  end
end
for slot, record in pairs(records) do
  if record.refCount ~= (needed[slot] or 0) then
    note('%s is counted %d times, but %d reservations need it', slot, record.refCount, needed[slot] or 0)
  end
end
for slot in pairs(needed) do
  if not records[slot] then
    note('%s has no record, but a reservation needs it', slot)
  end
end
for slot in pairs(dueAt) do
  if not (records[slot] and records[slot].token) then
    note('%s is due, but not reserved', slot)
  end
end

local counted, countedMoreSlots = select(9, hotField.unpackHot(redis.call('HGET', KEYS[1], 'hot')))
if counted ~= count then
  note('the count is %d, but there are %d reservations', counted, count)
end
if countedMoreSlots ~= moreSlots then
  note('%d other slots are counted, but there are %d', countedMoreSlots, moreSlots)
end

-- Pools: an entry without a line break or a chunk of a bitmap is the number of slots that are held.
local pools = redis.call('HGETALL', KEYS[4])
for i = 1, #pools, 2 do
  local field = pools[i]
  if string.find(field, '\n', 1, true) then
    local record = records[pools[i + 1]]
    local pool, owner = string.match(field, '^(.-)\n(.*)$')
    if not record or record.pool ~= pool or record.owner ~= owner then
      note('%s was assigned to %s, which does not hold it', pools[i + 1], owner)
    end
  elseif not string.find(field, '\1', 1, true) then
    local stored = struct.unpack('>I4', pools[i + 1])
    if stored ~= (held[field] or 0) then
      note('%d slots of %s are counted, but %d are held', stored, field, held[field] or 0)
    end
    held[field] = nil
  end
end
for pool, slots in pairs(held) do
  if redis.call('HEXISTS', KEYS[4], pool) == 0 then
    note('%d slots of %s are held, but not counted', slots, pool)
  end
end

-- The queue and sessions leave nothing behind.
if redis.call('HLEN', KEYS[5]) == 0 then
  for _, line in ipairs(redis.call('ZRANGE', KEYS[6], 0, 4)) do
    note('nobody waits, but there is a queue %q', line)
  end
  for _, ticket in ipairs(redis.call('ZRANGE', KEYS[7], 0, 4)) do
    note('nobody waits, but a ticket is due: %q', ticket)
  end
  local queue = redis.call('HGET', KEYS[1], 'queue')
  if queue then
    note('nobody waits, but the queue has the state %s', queue)
  end
end
if redis.call('HLEN', KEYS[8]) == 0 then
  for _, session in ipairs(redis.call('ZRANGE', KEYS[9], 0, 4)) do
    note('there is no session, but one is due: %s', session)
  end
end
return wrong
