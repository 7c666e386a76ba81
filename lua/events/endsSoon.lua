-- Announces the ends of leases (docs/specification.md#leases-that-end-soon): an event ENDS_SOON for each end, once the
-- lease ends within the window, the setting endsSoonSeconds. Only the sweep announces (verbs/due.lua). It keeps the due
-- time up to which it has announced, and moves it in the step that publishes. So it reads each due time once.
--
-- A lease is announced only if it was at least two windows long when it began. So it ends at least one window behind
-- what was announced by then, and no look can have passed it; and nothing has to be announced for one window from now
-- on, but for leases that are there. Therefore a reserve does nothing for this: the sweep comes back after one window,
-- and at once to what begins to be wanted.
--
-- Fields of the tenant's hash:
--   endsSoon   the window in ms; 0: nothing is announced
--   announced  '<ms> <window> <until> <length> <fence> <began> <slot>', since the last look:
--     ms      all due times up to this are announced; if there is a slot, those of this ms up to the slot only
--     window  that of the look
--     and what was announced before another window, another listener or an earlier clock began to count: leases that
--     end by `until`, were at least `length` ms long, have fencing tokens up to `fence`, and began by `began`; 0 none
local clock = require('frame/clock')
local codec = require('slots/codec')
local events = require('events/events')
local hot = require('frame/hot')
local keys = require('frame/keys')
local reservationEvents = require('events/reservations')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local endsSoon = {}

-- Due times and work of one call, and records that are read at once.
local MAX_ANNOUNCED, MAX_WORK, STEP = 200, 1500, 20
local PATTERN = '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$'

-- Returns true if the ends of leases are announced to anybody.
function endsSoon.isWanted()
  return events.wantsAny('ENDS_SOON')
end

-- Returns the window in ms; nil if nothing is announced.
local function windowOf(text)
  local window = tonumber(text or 0)
  return window > 0 and window or nil
end

local function currentWindow()
  return endsSoon.isWanted() and windowOf(redis.call('HGET', keys.tenant, 'endsSoon')) or nil
end

local function textOf(state)
  local told = state.told
  return string.format(
    '%.0f %.0f %.0f %.0f %.0f %.0f ', state.ms, state.window, told.until_, told.length, told.fence, told.began
  ) .. state.slot
end

local function newState(ms, window)
  return { ms = ms, window = window, told = { until_ = 0, length = 0, fence = 0, began = 0 }, slot = '' }
end

-- Returns nil if there is none.
local function readState(text)
  if not text then
    return nil
  end
  local ms, window, until_, length, fence, began, slot = string.match(text, PATTERN)
  local told = {
    until_ = tonumber(until_), length = tonumber(length), fence = tonumber(fence), began = tonumber(began),
  }
  return { ms = tonumber(ms), window = tonumber(window), told = told, slot = slot }
end

-- Notes what is announced. If that is more than two windows ahead, the clock was set back, and does not tell what began
-- before. Of two notes within an hour, the second takes in more than was announced.
local function note(state, window, now)
  local told, isSetBack = state.told, state.ms > now + 2 * math.max(window, state.window)
  local isLive, length = told.until_ > now, 2 * state.window
  told.length = isLive and math.min(told.length, length) or length
  told.began = isSetBack and hot.NEVER or math.max(isLive and told.began or 0, now)
  told.until_, told.fence = math.max(told.until_, state.ms), tenant.fence
end

-- Goes on from a time, with a window. What is announced behind that time is not announced again.
local function goOn(state, ms, window, now)
  if state.ms > ms then
    note(state, window, now)
  end
  state.ms, state.window, state.slot = ms, window, ''
end

-- Returns the next due times, at most one more than may be announced: slot, ms, ...
local function nextDueTimes(state, upTo)
  if state.slot == '' then
    return redis.call(
      'ZRANGE', keys.due, string.format('(%.0f', state.ms), upTo, 'BYSCORE', 'LIMIT', 0, MAX_ANNOUNCED + 1, 'WITHSCORES'
    )
  end
  -- The slot may be free by now. A member right behind it tells the place.
  local behind = state.slot .. '\0'
  redis.call('ZADD', keys.due, state.ms, behind)
  local place = redis.call('ZRANK', keys.due, behind)
  redis.call('ZREM', keys.due, behind)
  return redis.call('ZRANGE', keys.due, place, place + MAX_ANNOUNCED, 'WITHSCORES')
end

-- Returns true if the end of a lease is to be announced.
local function isToAnnounce(state, record)
  if not record or not record.token or record.token == codec.UNCLAIMED then
    return false
  end
  local began, told = record.leasedAt or record.reservedAt, state.told
  local length = record.expiresAt - began
  local isTold = record.expiresAt <= told.until_ and length >= told.length and record.fence <= told.fence and
    began <= told.began
  return length >= 2 * state.window and not isTold
end

-- Announces a lease.
local function announce(record)
  work.spend(2 + (#record.requestedName + #record.owner) / 35 + #record.details / 100)
  reservationEvents.emitHeld('ENDS_SOON', 'EXPIRE', nil, record, record.expiresAt)
end

-- Announces leases in the order of their ends, and moves the state on. Returns true if none is left to be announced.
local function announceAll(state, upTo)
  local found, slots = nextDueTimes(state, upTo), {}
  for i = 1, math.min(#found, 2 * MAX_ANNOUNCED), 2 do
    slots[#slots + 1] = tonumber(found[i + 1]) <= upTo and found[i] or nil
  end
  local limit = work.done + MAX_WORK
  for i, slot in ipairs(slots) do
    if i % STEP == 1 then
      slotMap.readSlots({ unpack(slots, i, math.min(i + STEP - 1, #slots)) })
    end
    local record = slotMap.recordAt(slot)
    if isToAnnounce(state, record) then
      announce(record)
    end
    if work.done > limit or i == MAX_ANNOUNCED then
      state.ms, state.slot = tonumber(found[2 * i]), slot
      return slots[i + 1] == nil and found[2 * i + 1] == nil
    end
  end
  state.ms, state.slot = upTo, ''
  return true
end

-- Returns when the next announcement is due, infinite if there is none yet.
local function nextAnnouncement(state)
  local first = redis.call(
    'ZRANGE', keys.due, string.format('(%.0f', state.ms), '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES'
  )[2]
  return first and first - state.window or math.huge
end

-- Announces the ends of leases that have come into the window. Returns false if there are more; else true, when the
-- sweep has to come back for what is there, and when for what may be made meanwhile.
function endsSoon.announce()
  local fields = endsSoon.isWanted() and redis.call('HMGET', keys.tenant, 'endsSoon', 'announced')
  local window = fields and windowOf(fields[1])
  if not window then
    return true, math.huge, math.huge
  end
  local now = clock.nowMs()
  local upTo = now + window
  local state = readState(fields[2]) or newState(upTo, window)
  if state.window ~= window or state.ms > upTo + window then
    goOn(state, now, window, now)
  end
  local isDone = upTo < state.ms or upTo == state.ms and state.slot == '' or announceAll(state, upTo)
  redis.call('HSET', keys.tenant, 'announced', textOf(state))
  return isDone, nextAnnouncement(state), upTo
end

-- Returns the latest time at which the due index may have the tenant, if something else of it is due at a time.
function endsSoon.latestLook(due)
  local window = currentWindow()
  return window and math.min(due, clock.nowMs() + window) or due
end

-- Notes that the ends of leases are announced to somebody from now on: of leases that are there, those that end after
-- one window. Takes whether they were before. Returns the time in ms at which the due index must have the tenant, -1 if
-- it has it.
function endsSoon.begin(wasWanted)
  local fields, now = redis.call('HMGET', keys.tenant, 'endsSoon', 'announced'), clock.nowMs()
  local window = windowOf(fields[1]) or 0
  local first = now + window
  if not wasWanted then
    local state = readState(fields[2]) or newState(first, window)
    goOn(state, first, window, now)
    redis.call('HSET', keys.tenant, 'announced', textOf(state))
  end
  return window > 0 and first < tenant.dueIndexed and first or -1
end

-- Returns what follow() takes. To be called before the tenant's record is replaced.
function endsSoon.before()
  return { isWanted = endsSoon.isWanted(), window = currentWindow() }
end

-- Notes that the tenant's record was replaced. Returns as begin().
function endsSoon.follow(before)
  if not endsSoon.isWanted() then
    return -1
  end
  local hasChanged = before.isWanted and currentWindow() ~= before.window
  return hasChanged and clock.nowMs() or endsSoon.begin(before.isWanted)
end

return endsSoon
