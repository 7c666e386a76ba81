-- The tenant's hash, as far as a plain request needs it. lua/frame/tenant.lua describes it.
-- begin() assigns all state of this module, so nothing stays from the call before.
local fencing = require('reservations/fencing')
local hot = require('frame/hot')
local LIMITS = require('frame/limits')
local queueState = require('plain/queueState')
local quota = require('limits/quota')
local state = require('waiting/state')
local tenant = {}

local MINUTE_MS, DAY_MS = 60000, 86400000
local NO_LIMIT, NEVER = 9007199254740992, 9007199254740992
-- A write of this many bytes to a hash, a sorted set or the history takes at most this much more
-- (lua/limits/bytes.lua).
local PER_ENTRY, ROUNDED_UP = 128, 1.25
-- Flags (lua/frame/tenant.lua): the tenant has a queue; this one and higher ones: it has sessions or terms, is
-- suspended, or allows only registered names; it has an outbox; it has bookings.
local HAS_QUEUE, FIRST_FLAG, HAS_NOTICES = 8, 16, hot.HAS_NOTICES

-- The most fields of credentials that are kept: some 0.3 MB.
local MAX_FIELDS = 1000

local MIN_LEASE_MS = state.MIN_LEASE_MS
local FORM, pack, unpackNumbers = hot.FORM, struct.pack, struct.unpack
local tokenAfter = fencing.after
local call, ceil, find, format, floor = redis.call, math.ceil, string.find, string.format, math.floor
local key, found, packed, grant, nowUs, nowMs, mayWait
-- The numbers of the packed field, in its order.
local tier, flags, definitions, minuteStart, minute, day, today, fence, count, moreSlots, nextDue, dueIndexed,
  listenUntil
-- boxAt: the place of the numbers of the outbox.
local messages, bytes, publisher, boxAt
-- box: the numbers of the outbox, nil if there is none. queueText: the state of the queue that is to be written, nil
-- nothing.
local limits, written, box, queueText

-- Reads the state of the queue. Returns true if it has nothing to do before a request.
local function isQueueQuiet()
  return queueState.read(found[3] or call('HGET', key, 'queue') or '', nowMs)
end

-- Returns true if nothing of the tenant has to be done before a request for so many names.
local function isQuiet(number)
  box, queueText, queueState.items, queueState.due = nil, nil, 0, nil
  local others = flags
  if flags >= HAS_NOTICES then
    -- Bookings are of resources that always go the general way, and what is due of them is in nextDue.
    others = flags % HAS_NOTICES
    if hot.hasNotices(flags) then
      box = hot.unpackBox(packed, boxAt)
    end
  end
  return others < FIRST_FLAG and tier > 0 and nextDue > nowMs and
    (others < HAS_QUEUE or number == 1 and isQueueQuiet())
end

-- The fields of credentials in the tenant's hash, so that not each call makes this text.
local fields, fieldCount = {}, 0
setmetatable(fields, { __index = function(_, credential)
  if fieldCount == MAX_FIELDS then
    for one in pairs(fields) do
      fields[one] = nil
    end
    fieldCount = 0
  end
  local field = 'key:' .. credential
  fields[credential], fieldCount = field, fieldCount + 1
  return field
end })

-- Reads the tenant for a credential, the SHA-256 of an API key, and charges writes (lua/limits/quota.lua). Takes
-- the time, the number of writes, and whether the request may wait, or hand over to one that does. Returns true if the
-- request is plain: the key has the right `reserve` for all names, the quota is not exceeded, and nothing of the tenant
-- is due or belongs to a session. If the tenant has a queue, the request is for one name. Also returns true if anybody
-- may read events.
function tenant.begin(tenantKey, credential, us, ms, cost, hasQueue)
  key, nowUs, nowMs, mayWait = tenantKey, us, ms, hasQueue
  if mayWait then
    found = call('HMGET', key, 'hot', fields[credential], 'queue', 'beats')
  else
    found = call('HMGET', key, 'hot', fields[credential])
  end
  packed, grant = found[1], found[2]
  if not packed or not grant then
    return false
  end
  tier, flags, definitions, minuteStart, minute, day, today, fence, count, moreSlots, nextDue, dueIndexed, listenUntil,
    messages, bytes, publisher, boxAt = unpackNumbers(FORM, packed)
  if not isQuiet(cost) then
    return false
  end
  local label = grant
  if label ~= '' and find(label, '\n', 1, true) then
    local own, rights = string.match(label, '^([^\n]*)\n([^\n]*)\n0\n$')
    if not rights or not find(' ' .. rights .. ' ', ' reserve ', 1, true) then
      return false
    end
    label = own
  end
  limits, written = LIMITS[tier], 0
  tenant.label, tenant.definitions = label, definitions
  -- A failover can set Redis's clock back.
  if ms >= minuteStart + MINUTE_MS or ms < minuteStart then
    minuteStart, minute = ms, 0
  end
  if ms < day * DAY_MS or ms >= (day + 1) * DAY_MS then
    day, today = floor(ms / DAY_MS), 0
  end
  minute, today = minute + cost, today + cost
  return minute <= limits.writesPerMinute and today <= limits.writesPerDay, listenUntil > 0 or box ~= nil
end

-- Returns when the last lease of an event stream ends, in ms, 0 no stream; and the outbox, nil none.
function tenant.readers()
  return listenUntil, box
end

-- Returns the fields that begin() has read, for the general way (lua/frame/tenant.lua).
function tenant.found()
  return found
end

-- Returns the first member of a name in the queues (lua/waiting/queues.lua); nil if no ticket has to do with it.
function tenant.firstMember(keys, name)
  return call('ZRANGE', keys.queues, '[' .. name .. '\n', '(' .. name .. '\11', 'BYLEX', 'LIMIT', '0', '1')[1]
end

-- Returns true if tickets may have to do with a name; without a name, if there are tickets.
function tenant.isAwaited(keys, name)
  return queueState.due and (not name or tenant.firstMember(keys, name) ~= nil)
end

-- Counts a new reservation that ends at a time in ms, 0 never. Returns its fencing token; nil if the cap, the limit of
-- bytes (lua/limits/cap.lua) or the due index (lua/limits/cap.lua) may not allow it.
function tenant.add(expiresAt)
  if
    count + moreSlots + queueState.items >= limits.reservations or bytes >= limits.bytes and limits.bytes < NO_LIMIT or
    expiresAt > 0 and expiresAt < dueIndexed
  then
    return nil
  end
  count, fence = count + 1, tokenAfter(fence, nowUs)
  if expiresAt > 0 and expiresAt < nextDue then
    nextDue = expiresAt
  end
  return fence
end

-- Returns the fencing token of the next reservation. Those of more reservations of the call follow it one by one.
function tenant.nextFence()
  return tokenAfter(fence, nowUs)
end

-- Counts so many new reservations, of which the first ends at a time in ms, 0 never. Returns nil as add().
function tenant.addAll(number, firstEnd)
  count, fence = count + number - 1, tokenAfter(fence, nowUs) + number - 2
  return tenant.add(firstEnd)
end

-- Returns true if the due index allows grants to tickets: it must have the tenant within the shortest lease.
function tenant.mayGrant()
  return nowMs + MIN_LEASE_MS >= dueIndexed
end

-- Returns true if the cap, the limit of bytes and the due index allow a ticket for one slot. Takes when it is due, in
-- ms.
function tenant.mayWait(due)
  return count + moreSlots + queueState.items < limits.reservations and
    (bytes < limits.bytes or limits.bytes >= NO_LIMIT) and due >= dueIndexed and tenant.mayGrant()
end

-- Changes the state of the queue: takes its text, nil if there are no tickets any more, whose state has been removed.
function tenant.setQueue(text)
  local hasQueue = flags % FIRST_FLAG >= HAS_QUEUE
  queueText = text
  if hasQueue ~= (text ~= nil) then
    flags = flags + (text and HAS_QUEUE or -HAS_QUEUE)
  end
end

-- Returns the beats of the instances (waiting/state.lua), of a request that may wait.
function tenant.beats()
  return found[4] or ''
end

-- Notes that a reservation is followed by another one, which ends at a time in ms. Returns its fencing token.
function tenant.pass(expiresAt)
  fence = tokenAfter(fence, nowUs)
  if expiresAt < nextDue then
    nextDue = expiresAt
  end
  return fence
end

-- Notes what is written of a new reservation.
function tenant.note(name, record, expiresAt)
  written = written + PER_ENTRY + ROUNDED_UP * (#name + #record)
  if expiresAt > 0 then
    written = written + PER_ENTRY + ROUNDED_UP * #name
  end
end

-- Counts reservations that have ended. Returns how many entries of the history the tenant keeps in Redis; 0 none.
function tenant.remove(number)
  count = count - number
  return limits.history
end

-- Notes so many entries that are written to another hash, with the bytes of all.
function tenant.noteWritten(number, size)
  written = written + PER_ENTRY * number + ROUNDED_UP * size
end

-- Returns true if a resource has had labels.
function tenant.areAnyLabelled()
  return flags % 2 == 1
end

-- Returns true if a resource may be about to be deleted.
function tenant.isAnyClosing()
  return flags % 4 >= 2
end

-- Names who sends the request (lua/frame/admission.lua).
function tenant.actor()
  return tenant.label == '' and 'key' or 'key:' .. tenant.label
end

-- Notes so many fields of the history, with the bytes of all.
function tenant.notePast(number, size)
  written = written + PER_ENTRY * number + size
end

-- Returns the most bytes that the outbox may keep.
function tenant.maxOutbox()
  return limits.outbox
end

-- The texts of amounts of work, as far as calls have needed them.
local workTexts = {}

-- Writes the record. Takes the work of the request. Returns the quota as replies have it (lua/limits/quota.lua), and
-- what finish() of lua/frame/commit.lua adds; the number of the message with events, if there are any, and the
-- publisher.
function tenant.commit(hasEvents, work)
  if hasEvents then
    messages = messages + 1
  end
  if written > 0 and bytes < NEVER then
    bytes = bytes + ceil(written)
  end
  local numbers = pack(
    FORM, tier, flags, definitions, minuteStart, minute, day, today, fence, count, moreSlots, nextDue, dueIndexed,
    listenUntil, messages, bytes, publisher
  )
  if box then
    numbers = numbers .. hot.packBox(box)
  end
  if queueText then
    call('HSET', key, 'hot', numbers, 'queue', queueText)
  else
    call('HSET', key, 'hot', numbers)
  end
  local text = workTexts[work]
  if not text then
    text = format(' %d', work)
    workTexts[work] = text
  end
  local due = queueState.due or mayWait and NEVER
  if due then
    due = nextDue < due and nextDue or due
    text = text .. format(' %d 0', due < NEVER and due - nowMs or -1)
  end
  return quota.textOf(limits, minuteStart, minute, day, today, nowMs), text, messages, publisher
end

return tenant
