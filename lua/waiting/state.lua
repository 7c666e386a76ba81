-- The state of the queue as a whole, one field of the tenant's hash. Fields:
--   items        number of slots that all tickets ask for which wait; they count towards the cap on reservations
--   tickets      number of tickets that wait
--   granted      number of tickets that were granted and not claimed yet
--   last         number of the last ticket. Tickets are numbered by Redis's time in microseconds, always rising
--   nextDue      ms: nothing of the tickets is due before this
--   isUnsettled  true if some tickets still have to be looked at (agenda.lua)
--   hasKept      false if nothing is kept in any queue (queues.lua)
--   hasConditions  true if a ticket has asked for slots that are not ready since there are tickets
--   replanned    the ticket, as hexadecimal digits, up to which the queue was brought up to date after a change of
--                definitions; nil if it is up to date
local clock = require('frame/clock')
local tenant = require('frame/tenant')
local state = {}

-- Reads the state of the tenant's queue.
function state.readState()
  state.items, state.tickets, state.granted, state.last, state.nextDue = 0, 0, 0, 0, math.huge
  state.isUnsettled, state.hasKept, state.hasConditions, state.replanned = false, false, false, nil
  tenant.queueState = state
  if tenant.queueText then
    local items, count, granted, last, nextDue, unsettled, replanned =
      string.match(tenant.queueText, '^(%d+) (%d+) (%d+) (%d+) (%S+) (%d) (%S+)$')
    state.items, state.tickets, state.granted = tonumber(items), tonumber(count), tonumber(granted)
    state.last, state.nextDue = tonumber(last), tonumber(nextDue)
    state.isUnsettled, state.hasKept, state.hasConditions = unsettled % 2 == 1, unsettled % 4 >= 2, unsettled >= '4'
    state.replanned = replanned ~= '-' and string.sub(replanned, 2) or nil
  end
end

function state.toHex(bytes)
  return (string.gsub(bytes, '.', function(char)
    return string.format('%02x', string.byte(char))
  end))
end

function state.fromHex(text)
  return (string.gsub(text, '%x%x', function(hex)
    return string.char(tonumber(hex, 16))
  end))
end

-- One digit tells isUnsettled, hasKept and hasConditions.
local function settledDigit()
  return (state.isUnsettled and 1 or 0) + (state.hasKept and 2 or 0) + (state.hasConditions and 4 or 0)
end

-- Returns the state as text; nil if there is no ticket.
function state.stateText()
  if state.tickets == 0 and state.granted == 0 then
    return nil
  end
  return string.format(
    '%d %d %d %.0f %s %d %s', state.items, state.tickets, state.granted, state.last,
    state.nextDue == math.huge and 'inf' or string.format('%.0f', state.nextDue), settledDigit(),
    state.replanned and '.' .. state.replanned or '-'
  )
end

-- The instances with long polls for a ticket. It is usually one; if a requester sends the same request several times at
-- once, there may be more. ticket.instance lists them as '<instance>:<ms>', separated by spaces, latest call first: the
-- calls of the instance end at that time at the latest, or ended. wake() informs them all.

-- Calls visit(instance, ms) for each instance of such a text.
function state.eachInstance(instances, visit)
  for instance, ms in string.gmatch(instances, '(%w+):(%d+)') do
    visit(instance, tonumber(ms))
  end
end

local function wordOf(instance, ms)
  return string.format('%s:%.0f', instance, ms)
end

-- The beats of instances, one field of the tenant's hash. An instance beats in a tenant while it has long polls of it.
-- Time after which an instance that does not beat is taken for dead, in ms.
state.BEAT_LAPSES_MS = 6000
-- An instance beats every 2 s, and calls far more often: a beat is not noted again for so long, in ms.
state.MIN_APART_MS = 500
-- Grants made by any script are swept in time if their leases are not shorter, in ms: the due index has the tenant
-- early enough as long as there are tickets (queue.lua).
state.MIN_LEASE_MS = 5000

-- Notes that an instance is alive. Returns true if it was known before.
function state.noteBeat(instance)
  local last = state.beats[instance]
  if not last or clock.nowMs() < last or clock.nowMs() >= last + state.MIN_APART_MS then
    state.beats[instance], state.areBeatsChanged = clock.nowMs(), true
  end
  return last ~= nil
end

-- Returns the beats as text, without instances that have been silent for so long that no ticket is attended through
-- their calls any more: the longest claim time is 10 minutes.
function state.beatsText()
  local FORGOTTEN_MS = 660000
  local parts = {}
  for instance, ms in pairs(state.beats) do
    if ms > clock.nowMs() - FORGOTTEN_MS then
      parts[#parts + 1] = instance .. ' ' .. string.format('%.0f', ms)
    end
  end
  return table.concat(parts, '\n')
end

-- Returns the instances that have long polls for a ticket once an instance has one until a time. Those that called long
-- ago are dropped, and those whose calls are over.
function state.withCall(instances, instance, untilMs)
  local MAX_OTHERS = 2
  local others = {}
  state.eachInstance(instances, function(other, ms)
    if other == instance then
      untilMs = math.max(untilMs, ms)
    elseif ms > clock.nowMs() and #others < MAX_OTHERS then
      others[#others + 1] = wordOf(other, ms)
    end
  end)
  if untilMs > clock.nowMs() then
    table.insert(others, 1, wordOf(instance, untilMs))
  end
  return table.concat(others, ' ')
end

-- Returns the instances after the calls of one of them have ended; nil if they had ended before.
function state.withoutCalls(instances, instance)
  local words, isHeld = {}, false
  state.eachInstance(instances, function(other, ms)
    local ends = other == instance and ms > clock.nowMs()
    isHeld = isHeld or ends
    words[#words + 1] = wordOf(other, ends and clock.nowMs() or ms)
  end)
  return isHeld and table.concat(words, ' ') or nil
end

-- Returns until when instances have long polls, as far as is known: until these end, or the instance is taken for dead.
function state.polledUntil(instances)
  local polledUntil = 0
  state.eachInstance(instances, function(instance, ms)
    polledUntil = math.max(polledUntil, math.min(ms, (state.beats[instance] or 0) + state.BEAT_LAPSES_MS))
  end)
  return polledUntil
end

function state.open()
  -- beats[instance]: ms of its last beat in this tenant. An instance beats while it has long polls here.
  state.beats, state.areBeatsChanged = {}, false
  for instance, ms in string.gmatch(tenant.beats, '(%w+) (%d+)') do
    state.beats[instance] = tonumber(ms)
  end
end

return state
