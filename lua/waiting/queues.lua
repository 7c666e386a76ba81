-- The queues in which tickets stand, and what else is stored of them by name. Opens the queue for calls that touch a
-- resource somebody waits for.
local booked = require('bookings/booked')
local clock = require('frame/clock')
local conditions = require('slots/conditions')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local pools = require('slots/pools')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tenant = require('frame/tenant')
local work = require('frame/work')
local queues = {}

-- firstMembers[name]: the first members of the queues (waiting/queues.lua) of a resource or slot, as they are stored.
local firstMembers

-- ranges[prefix]: what follows the prefix in its members, sorted, as far as it was read. `last` is the last one read,
-- nil if all were; `orders` is what ordersIn() has returned of it.
local ranges

local FIRST_PAGE = 8

-- Returns true if no stored ticket's plan has a resource or slot, and none waits for it.
local function hasNoQueue(name)
  local members = firstMembers[name]
  if members == nil then
    work.spend(3)
    members = redis.call(
      'ZRANGE', keys.queues, '[' .. name .. '\n', '(' .. name .. '\11', 'BYLEX', 'LIMIT', 0, FIRST_PAGE
    )
    firstMembers[name] = members
  end
  return members[1] == nil
end

local function openForQueue(queue)
  if not tenant.queue and not hasNoQueue(queue) then
    tenant.openQueue()
  end
end

-- Opens the queue if a ticket has to do with a resource or slot, in any condition.
function queues.openFor(name)
  if state.hasConditions then
    lines.eachOf(name, openForQueue)
  else
    openForQueue(name)
  end
end

-- Opens the queue if a match waits: a slot of a resource that fits may have become free, or been taken by a match of
-- the same requester.
local function openForMatches()
  local first = redis.call('ZRANGE', keys.queues, '[\9', '(\10', 'BYLEX', 'LIMIT', 0, 1)
  if first[1] then
    tenant.openQueue()
  end
end

-- Returns true if a change of a record ended a requester's reservation of its slot, and the slot is still held: shared
-- with others, through another of its plans, or by another owner.
function queues.isOnlyLeft(slot, before, now)
  if shared.isShare(slot) then
    return before and not now
  end
  return before and before.token and now and not (now.token and now.owner == before.owner)
end

-- Returns true if a change of a record changed neither who holds its slot, nor whether that is by a reservation of it.
function queues.isSameHold(before, now)
  return before and now and before.owner == now.owner and (before.token == nil) == (now.token == nil)
end

-- Opens the queue if tickets have to do with a change of a slot.
local function openForChange(slot, before, record)
  if tenant.labelled and (not record or record.match or queues.isOnlyLeft(slot, before, record)) then
    openForMatches()
  end
  if shared.isShare(slot) or queues.isSameHold(before, record) then
    return
  end
  queues.openFor(slot)
  local pool = (record or before or { pool = '' }).pool
  if pool ~= '' then
    queues.openFor(pool)
  end
end

-- Sets found.isAny if a stored ticket's plan has a slot of the pool that a queue is for, by its name.
local function findSlotQueue(queue, found)
  work.spend(3)
  local first = redis.call('ZRANGE', keys.queues, '[' .. queue .. '_', '(' .. queue .. '`', 'BYLEX', 'LIMIT', 0, 1)
  found.isAny = found.isAny or first[1] ~= nil
end

-- Returns false if no ticket's plan has a slot of a pool by its name, in any condition.
function queues.mayWaitForSlots(pool)
  local found = { isAny = queues.areQueuesWritten }
  lines.eachOf(pool, findSlotQueue, found)
  return found.isAny
end

-- Opens the queue if tickets have to do with a slot whose condition this script changed, or with others of its pool.
local function openForConditions()
  local seen = {}
  for _, change in ipairs(conditions.changed) do
    local resource = change.resource
    if not seen[resource] then
      seen[resource] = true
      if tenant.labelled then
        openForMatches()
      end
      queues.openFor(resource)
      if tenant.queue or change.slot ~= resource and queues.mayWaitForSlots(resource) then
        return tenant.openQueue()
      end
    end
  end
end

-- Opens the queue if tickets have to do with a slot whose bookings this script changed.
local function openForBookings()
  local slots = booked.changedSlots()
  if tenant.labelled and slots[1] then
    openForMatches()
  end
  for _, slot in ipairs(slots) do
    queues.openFor(slot)
    queues.openFor(pools.slotNumber(slot) or slot)
  end
end

-- Opens the queue if this script changed a slot that tickets have to do with.
function queues.openForChanges()
  openForConditions()
  openForBookings()
  for _, slot in ipairs(slotMap.changed) do
    openForChange(slot, slotMap.original[slot], slotMap.records[slot])
    if tenant.queue then
      return
    end
  end
end

-- Returns ms until something of the tenant is due; -1 if nothing is.
function queues.dueInMs()
  local ofSessions = tenant.sessions and tenant.sessions.nextDue or math.huge
  local due = math.min(tenant.nextDue, tenant.queueState.nextDue, ofSessions)
  return due == math.huge and -1 or math.max(0, math.ceil(due - clock.nowMs()))
end

-- The sorted set of queues, in byte order. A queue has the name of a resource or slot, or that of one of its lines
-- (lines.lua). A ticket's order is 8 bytes: 100 minus its priority, then its number, so
-- that orders sort as the queue does. Members:
--   <name>\n<kind><order>           a ticket in the queue for a resource, or for one slot of a pool. Kinds:
--     k  it was seen as next (walks.lua), and is also one of these:
--     l  its plan has the resource; it waits for something else
--     w  likewise, and it waits for this
--     v  it waits for this, and is in no queue, since nobody attends it (detached), or it is loose (tickets.lua)
--     u  it waited for this when its caller vanished; it is neither counted nor granted
--     f  an item of a FIRST waits for this, and another item stands for the ticket; or this was in the way of one that
--        is loose
--     d  the definition of this matters to a ticket that has none of the other kinds here
--   \1<order>                       a ticket that waits
--   \2<requester>\n<digest><order>  a ticket of a requester; the digest (8 bytes) tells its requests apart
--   \3<instance>\n<order>           a ticket that was granted, and that a call of the instance should claim
--   \4<name>                        tickets wait for a free slot of it, or to join a hold, which is kept
--                                   (state.hasKept)
--   \5<walk>                        what is still to be looked at (agenda.lua)
--   \6<order>                       a ticket that waits for many slots (agenda.lua)
--   \7<name>\n<order>              a ticket that asks for a path which ends with this name
--   \8<session>\n<order>           a ticket of a session
--   \8<text>\n<kind><order>        a ticket that wants any resource which fits a match, by the text of that, and what
--                                  queueOf() in reservations/match.lua adds: the queue has no resource, and whose turn
--                                  it is does not matter
--   \9<text>\n<match>              a match that tickets wait for (reservations/match.lua); the text as above
-- queueWrites[prefix][rest]: true to add the member, 'new' if it certainly was not stored, false to remove it.
-- queue.lua does so.

-- The queue of a match begins with this.
local MATCH = '\8'

function queues.isOfMatch(name)
  return string.sub(name, 1, 1) == MATCH
end

-- Returns the name by which callers know what a queue is for.
function queues.toldName(name)
  return queues.isOfMatch(name) and string.match(name, '^.([^\127]*)') or (lines.lineOf(name))
end

-- Returns the place in a sorted list at which a value is, or belongs.
function queues.placeIn(list, value)
  local low, high = 1, #list + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if list[middle] < value then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

local EMPTY = {}

-- Adds the lists of some first members by their kinds. `at` is the place of the kind in each.
local function sortByKind(members, at)
  members.kinds = {}
  for _, member in ipairs(members) do
    local kind = string.sub(member, at, at)
    local list = members.kinds[kind] or {}
    members.kinds[kind], list[#list + 1] = list, member
    members.last = kind
  end
end

-- Returns the first members with a prefix, and whether these are all, as far as firstMembers tells; nil if it does not.
local function knownMembers(prefix)
  local members = firstMembers[string.sub(prefix, 1, -3)]
  if not members then
    return nil
  elseif not members.kinds then
    sortByKind(members, #prefix)
  end
  local kind = string.sub(prefix, -1)
  local found, isAll = members.kinds[kind] or EMPTY, #members < FIRST_PAGE or members.last > kind
  if isAll or found[1] then
    return found, isAll
  end
end

-- Returns the next members with a prefix, behind a place, and whether these are all. Few are read at first, since the
-- first ones are often enough: later pages are longer, by what was read before.
local function nextMembers(prefix, before, read)
  local MAX_PAGE = 66
  if before == '' then
    local members, isAll = knownMembers(prefix)
    if members then
      return members, isAll
    end
  end
  local size = math.min(math.max(FIRST_PAGE, 2 * read), MAX_PAGE)
  local upper = '(' .. string.sub(prefix, 1, -2) .. string.char(string.byte(prefix, -1) + 1)
  local members = redis.call(
    'ZRANGE', keys.queues, (before == '' and '[' or '(') .. prefix .. before, upper, 'BYLEX', 'LIMIT', 0, size
  )
  work.spend(3 + #members / 4)
  return members, #members < size
end

local function readPage(prefix, range)
  local before = range.last
  local members, isAll = nextMembers(prefix, before, #range)
  range.last = not isAll and string.sub(members[#members], #prefix + 1) or nil
  local writes, length = queues.queueWrites[prefix] or {}, #prefix + 1
  for _, member in ipairs(members) do
    local rest = string.sub(member, length)
    if writes[rest] == nil then
      range[#range + 1] = rest
    end
  end
  for rest, isIn in pairs(writes) do
    if isIn and rest > before and (not range.last or rest <= range.last) then
      table.insert(range, queues.placeIn(range, rest), rest)
    end
  end
end

-- Returns what follows the prefix in its nth member; nil if there are fewer.
function queues.nthOf(prefix, n)
  local range = ranges[prefix]
  if not range then
    range = { last = '' }
    ranges[prefix] = range
  end
  while not range[n] and range.last do
    readPage(prefix, range)
  end
  return range[n]
end

-- Returns the first member with a prefix that is not before a place, among the first `limit` of them.
function queues.firstFrom(prefix, from, limit)
  local n = queues.nthOf(prefix, 1) and queues.placeIn(ranges[prefix], from) or limit + 1
  while n <= limit do
    local rest = queues.nthOf(prefix, n)
    if not rest or rest >= from then
      return rest
    end
    n = queues.placeIn(ranges[prefix], from)
  end
end

-- Returns the orders of the first members with a prefix, which end with them, in the order of the queue.
function queues.ordersIn(prefix, limit)
  local orders = ranges[prefix] and ranges[prefix].orders
  if not orders then
    orders = {}
    for n = 1, limit do
      local rest = queues.nthOf(prefix, n)
      if not rest then
        break
      end
      orders[n] = string.sub(rest, -8)
    end
    table.sort(orders)
    work.spend(1 + #orders / 4)
    ranges[prefix].orders = orders
  end
  return orders
end

-- Adds a member, or removes it.
function queues.setMember(prefix, rest, isIn)
  local range, writes = ranges[prefix], queues.queueWrites[prefix] or {}
  queues.queueWrites[prefix], queues.areQueuesWritten = writes, true
  if range then
    range.orders = nil
  end
  local at = range and queues.placeIn(range, rest)
  local isThere = range and range[at] == rest
  if isThere and not isIn then
    table.remove(range, at)
  end
  if not isIn then
    writes[rest] = writes[rest] == 'new' and nil
  elseif range and (not range.last or rest <= range.last) then
    if not isThere then
      table.insert(range, at, rest)
      writes[rest] = writes[rest] == nil and 'new' or true
    end
  else
    writes[rest] = true
  end
end

-- Notes that tickets wait for a free slot of a resource, or to join a hold of it, which is kept for others.
function queues.noteKept(name)
  state.hasKept = true
  queues.setMember('\4', name, true)
end

-- Returns true if a free slot of a resource, or joining a hold of it, is noted as kept.
function queues.isNotedAsKept(name)
  if not state.hasKept then
    return false
  end
  local writes = queues.queueWrites['\4']
  if writes and writes[name] ~= nil then
    return writes[name] ~= false
  end
  work.spend(1)
  return redis.call('ZSCORE', keys.queues, '\4' .. name) ~= false
end

-- Returns true if no ticket's plan has a resource or slot, and none waits for it.
function queues.isQueueEmpty(name)
  if not hasNoQueue(name) then
    return false
  end
  for _, kind in ipairs({ 'l', 'w', 'v', 'f' }) do
    if queues.queueWrites[name .. '\n' .. kind] then
      return false
    end
  end
  return true
end

-- Returns the next attended ticket in the queue for a name, in order, nil at the end; and where to go on. Begins at 1,
-- 1.
function queues.nextInQueue(name, i, j)
  local a, b = queues.nthOf(name .. '\nl', i), queues.nthOf(name .. '\nw', j)
  if b and not (a and a < b) then
    return b, i, j + 1
  end
  return a, i + 1, j
end

-- Returns the number of members with a prefix that come before one.
local function countBefore(prefix, rest)
  queues.nthOf(prefix, 1)
  local range = ranges[prefix]
  if not range.last or range.last >= rest then
    return queues.placeIn(range, rest) - 1
  end
  work.spend(3)
  local count = redis.call('ZLEXCOUNT', keys.queues, '[' .. prefix, '(' .. prefix .. rest)
  for other, isIn in pairs(queues.queueWrites[prefix] or {}) do
    if other < rest then
      count = count + (isIn and 1 or -1)
    end
  end
  return count
end

-- No order comes behind this.
local END = '\255'

local function addWaiting(queue, counts)
  for _, kind in ipairs({ '\nu', '\nv', '\nw' }) do
    counts[#counts + 1] = countBefore(queue .. kind, END)
  end
end

-- Returns the number of tickets that wait for a resource or a slot, with the changes of this script.
function queues.countWaiting(name)
  local counts, total = {}, 0
  lines.eachOf(name, addWaiting, counts)
  for _, count in ipairs(counts) do
    total = total + count
  end
  return total
end

-- Returns the number of tickets ahead of one in a queue.
function queues.countAhead(name, order)
  local total = 0
  for _, kind in ipairs({ '\nl', '\nw', '\nv' }) do
    total = total + countBefore(name .. kind, order)
  end
  return total
end

-- Returns the number of tickets that wait for a resource or a slot that is ready, to be sent as text. A cleaner that
-- waits for dirty slots, as it does while it is idle, makes nobody wait longer.
function queues.waitersOf(name)
  if not tenant.queueText then
    return '0'
  end
  work.spend(3)
  return string.format('%d', redis.call('ZLEXCOUNT', keys.queues, '[' .. name .. '\nu', '(' .. name .. '\nx'))
end

function queues.begin()
  firstMembers = {}
  queues.queueWrites, queues.areQueuesWritten = {}, false
  ranges = {}
end

-- Notes which members the state says that there are none of. begin() is too early: the state is then still that of the
-- script before, which may have been another tenant's.
function queues.open()
  ranges['\4'] = not state.hasKept and {} or nil
  ranges['\5'] = not state.isUnsettled and {} or nil
end

return queues
