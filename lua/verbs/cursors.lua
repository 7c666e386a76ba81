-- Verbs of those who read a tenant's outbox, by their cursors (events/cursors.lua).
local clock = require('frame/clock')
local cursors = require('events/cursors')
local outbox = require('events/outbox')
local tenant = require('frame/tenant')
local verbs = {}

-- Number of a tenant's readers that may have a batch at a time.
local MAX_LEASED = 4
-- A batch that starts late does not delay the next ones: they keep the pace, but make up for no more than this.
local MAX_LATE_MS = 200
-- Entries are kept for so long, in ms.
local MAX_AGE_MS = 3 * 86400000
-- The readers that are behind are moved on if the outbox is filled more than this.
local NEARLY_FULL = 0.75

-- Returns true if enough others have a batch.
local function areOthersBusy(keys, reader)
  local all, busy = redis.call('HGETALL', keys.cursors), 0
  for i = 1, #all, 2 do
    if all[i] ~= reader and cursors.read(all[i + 1]).leasedTo > clock.nowMs() then
      busy = busy + 1
    end
  end
  return busy >= MAX_LEASED
end

-- Returns true if a worker may take a batch of a reader now.
local function mayTake(keys, cursor, reader, owner)
  local nowMs = clock.nowMs()
  if cursor.owner == owner and cursor.leasedTo > 0 then
    return true
  end
  return cursor.leasedTo <= nowMs and cursor.nextAt <= nowMs and not areOthersBusy(keys, reader)
end

--[[ takeBatch
  Gives a worker what comes next for a reader: the stored batch, or else entries of which it makes one. Nobody else gets
  it until the lease ends. The worker that has the lease may call this again.

  ARGV[1]  the reader
  ARGV[2]  the worker
  ARGV[3]  duration of the lease in ms
  ARGV[4]  the most entries to return, unless a batch is stored
  ARGV[5]  the version of the tenant's record by which the worker knows what the reader wants

  Returns {'OK', the id of the stored batch ('-' none), its choice, number of failed attempts, ms since the first of
  them, number of events before the first entry (-1 unknown), 1 if there is nothing behind these entries, else 0, id,
  value, ...}; or {'NONE'}: there is nothing for this worker now; or {'CHANGED'}: the record has another version, so
  there may be events that the reader did not want before.
]]
function verbs.takeBatch(keys, args)
  local reader, owner, nowMs = args[1], args[2], clock.nowMs()
  local text = tenant.tier and tenant.box and redis.call('HGET', keys.cursors, reader)
  local cursor = text and cursors.read(text)
  if not cursor or not mayTake(keys, cursor, reader, owner) then
    return { 'NONE' }
  end
  if (redis.call('HGET', keys.tenant, 'version') or '') ~= args[5] then
    return { 'CHANGED' }
  end
  local found, isAll = cursors.ahead(keys, cursor, tonumber(args[4]))
  if not found[1] then
    return { 'NONE' }
  end
  cursor.owner, cursor.leasedTo = owner, nowMs + args[3]
  cursors.write(keys, reader, cursor)
  local failingMs = cursor.failedAt > 0 and nowMs - cursor.failedAt or 0
  local reply = {
    'OK', cursor.webhookId, cursor.choice, cursor.failures, failingMs, cursor.events, isAll and 1 or 0,
  }
  for _, entry in ipairs(found) do
    reply[#reply + 1], reply[#reply + 2] = entry[1], entry[2][2]
  end
  return reply
end

-- Returns the cursor of a reader whose lease a worker has; nil: it has lost it.
local function mine(keys, args)
  local text = tenant.box and redis.call('HGET', keys.cursors, args[1])
  local cursor = text and cursors.read(text)
  return cursor and cursor.owner == args[2] and cursor.leasedTo > 0 and cursor or nil
end

--[[ storeBatch
  Stores the batch that a worker has made, before its first attempt. Renews the lease.

  ARGV[1]  the reader
  ARGV[2]  the worker
  ARGV[3]  duration of the lease in ms
  ARGV[4]  the id of the batch
  ARGV[5]  the id of its last entry
  ARGV[6]  what it was chosen by: any text
  ARGV[7]  ms from the start of one batch of the reader to that of the next

  Returns 1; or 0, with nothing changed: another worker may have the lease.
]]
function verbs.storeBatch(keys, args)
  local cursor = mine(keys, args)
  if not cursor then
    return 0
  end
  local nowMs = clock.nowMs()
  cursor.leasedTo, cursor.nextAt = nowMs + args[3], math.max(cursor.nextAt, nowMs - MAX_LATE_MS) + args[7]
  cursor.webhookId, cursor.last, cursor.choice = args[4], args[5], args[6]
  cursors.write(keys, args[1], cursor)
  return 1
end

--[[ finishBatch
  Moves a reader on behind a batch that was delivered, or entries of which it wants nothing. Deletes the entries that
  all readers are done with.

  ARGV[1]  the reader
  ARGV[2]  the worker
  ARGV[3]  the id of the last entry
  ARGV[4]  number of events up to there

  Returns 1; or 0, with nothing changed: another worker may have the lease.
]]
function verbs.finishBatch(keys, args)
  local cursor = mine(keys, args)
  if not cursor then
    return 0
  end
  -- It may have been moved on meanwhile.
  if cursors.isBefore(cursor.after, args[3]) then
    cursor.after, cursor.events = args[3], tonumber(args[4])
  end
  cursor.failures, cursor.failedAt, cursor.leasedTo = 0, 0, 0
  cursors.forgetBatch(cursor)
  cursors.write(keys, args[1], cursor)
  cursors.trim(keys)
  return 1
end

--[[ retryBatch
  Gives up the lease of a batch that was not delivered. The batch stays the same.

  ARGV[1]  the reader
  ARGV[2]  the worker
  ARGV[3]  ms until the next attempt
  ARGV[4]  1 if the attempt failed; 0 if there was none

  Returns 1; or 0, with nothing changed: another worker may have the lease.
]]
function verbs.retryBatch(keys, args)
  local cursor = mine(keys, args)
  if not cursor then
    return 0
  end
  cursor.leasedTo, cursor.nextAt = 0, clock.nowMs() + args[3]
  if args[4] == '1' then
    cursor.failures = cursor.failures + 1
    cursor.failedAt = cursor.failedAt > 0 and cursor.failedAt or clock.nowMs()
  end
  cursors.write(keys, args[1], cursor)
  return 1
end

--[[ startCursor
  Makes the cursor of a reader, unless there is one.

  ARGV[1]  the reader
  ARGV[2]  `end`: it gets what happens from now on; `start`: what the outbox has, too
  ARGV[3]  1 if it has missed events, nobody knows how many; else 0

  Returns nothing.
]]
function verbs.startCursor(keys, args)
  if not tenant.tier or not tenant.box or redis.call('HEXISTS', keys.cursors, args[1]) == 1 then
    return
  end
  local last = args[2] == 'end' and redis.call('XREVRANGE', keys.outbox, '+', '-', 'COUNT', 1)[1]
  local cursor = {
    after = last and last[1] or '0-0', events = args[3] == '1' and -1 or tenant.box.events,
    failures = 0, failedAt = 0, nextAt = 0, leasedTo = 0, owner = '-',
  }
  cursors.forgetBatch(cursor)
  cursors.write(keys, args[1], cursor)
end

--[[ dropCursor
  Deletes the cursor of a reader, and the entries that only it has not read.

  ARGV[1]  the reader

  Returns nothing.
]]
function verbs.dropCursor(keys, args)
  redis.call('HDEL', keys.cursors, args[1])
  if tenant.box then
    cursors.trim(keys)
  end
end

-- Returns the first entry of the outbox whose time in ms is this or later, and the bytes that were added before it.
local function entryAt(key, ms)
  local entry = redis.call('XRANGE', key, string.format('%.0f', ms), '+', 'COUNT', 1)[1]
  if entry then
    local _, at = outbox.read(entry[2][2])
    return entry[1], at
  end
end

-- Returns the id of the first entry that is kept: so that none is too old and, if the outbox is nearly full, about half
-- of the bytes are left. nil: all are kept.
local function firstKept(keys)
  local box = tenant.box
  local first = redis.call('XRANGE', keys.outbox, '-', '+', 'COUNT', 1)[1]
  local last = redis.call('XREVRANGE', keys.outbox, '+', '-', 'COUNT', 1)[1]
  if not first then
    return nil
  end
  local low, high = tonumber(string.match(first[1], '^%d+')), tonumber(string.match(last[1], '^%d+'))
  local oldest = clock.nowMs() - MAX_AGE_MS
  if box.entries < NEARLY_FULL * outbox.MAX_ENTRIES and box.to - box.from < NEARLY_FULL * tenant.limits.outbox then
    return low < oldest and string.format('%.0f-0', oldest) or nil
  end
  local half = box.from + (box.to - box.from) / 2
  while low < high do
    local middle = math.floor((low + high) / 2)
    local _, at = entryAt(keys.outbox, middle)
    if at < half then
      low = middle + 1
    else
      high = middle
    end
  end
  return string.format('%.0f-0', math.max(high, oldest))
end

--[[ moveSlowest
  Moves on the readers that are far behind, if the outbox is nearly full or has old entries: so that one receiver that
  fails does not make others miss events. They are told what they have missed.

  Returns the number of readers that were moved on.
]]
function verbs.moveSlowest(keys)
  local kept = tenant.tier and tenant.box and firstKept(keys)
  if not kept then
    return 0
  end
  local ms = tonumber(string.match(kept, '^%d+'))
  -- No ms has so many entries.
  local before, moved = string.format('%.0f-999999999', ms - 1), 0
  local all = redis.call('HGETALL', keys.cursors)
  for at = 1, #all, 2 do
    local cursor = cursors.read(all[at + 1])
    if cursors.isBefore(cursor.after, before) then
      cursor.after, moved = before, moved + 1
      cursors.forgetBatch(cursor)
      cursors.write(keys, all[at], cursor)
    end
  end
  cursors.trim(keys)
  return moved
end

return verbs
