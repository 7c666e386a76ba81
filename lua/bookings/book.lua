-- Books slots for a time ahead (docs/specification.md#booking), and changes and checks bookings.
local admission = require('frame/admission')
local bookingEvents = require('events/bookings')
local call = require('frame/call')
local clock = require('frame/clock')
local finding = require('bookings/finding')
local keys = require('frame/keys')
local lists = require('bookings/lists')
local naming = require('definitions/names')
local records = require('bookings/records')
local registry = require('definitions/definitions')
local taking = require('reservations/take')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local wanted = require('reservations/wanted')
local work = require('frame/work')
local booking = {}
-- As src/domain/bookings.ts has them.
local MAX_AHEAD_S, MIN_S, MAX_S, MAX_FUTURE = 366 * 86400, 60, 86400, 100
-- A start so little ago means now: a second, or the minute of a form, may end before the request arrives.
local GRACE_S = 60
-- Resources that are looked at for a match, and names that are read at once.
local MAX_LOOKED, STEP = 500, 50

local function invalid(text, ...)
  return { status = 'NOT_VALID', explanation = 'NOT_VALID: ' .. string.format(text, ...) }
end

local function nowInS()
  return math.floor(clock.nowMs() / 1000)
end

-- Returns the outcome of a booking whose time breaks a rule; nil if it does not.
local function faultOfTime(startS, endS)
  local nowS = nowInS()
  local most = math.min(tenant.maxBookingS or MAX_S, (tenant.maxTtlMs or math.huge) / 1000)
  if startS < nowS - GRACE_S then
    return invalid('start is over')
  elseif endS <= nowS then
    return invalid('end is over')
  elseif startS > nowS + MAX_AHEAD_S then
    return invalid('start must be at most 366 days ahead')
  elseif endS - startS < MIN_S then
    return invalid('end must be at least %d s after start', MIN_S)
  elseif endS - startS > most then
    return invalid("this tenant's bookings are at most %d s long", most)
  end
end

-- Returns true if the caller is a person with the right `force`.
local function hasForce()
  return tenant.rights and string.find(' ' .. tenant.rights .. ' ', ' force ', 1, true) ~= nil
end

-- Returns the outcome of an item that breaks a rule for all resources; nil if it does not.
local function faultOf(item)
  local fault = faultOfTime(item.start, item['end'])
  local most = tenant.bookingsPerRequester or MAX_FUTURE
  if fault then
    return fault
  elseif terms.isNoteRequired() and not item.options.note then
    return invalid('a note is required')
  elseif not hasForce() and lists.futureOf(item.requester, nowInS()) >= most then
    return invalid('%s has %d future bookings, and this tenant allows no more', item.requester, most)
  end
end

-- Returns the resource, its definition and the slot that a name means; or nil and the outcome if it cannot be booked.
local function meaningOf(name)
  local resource, slot = naming.resolve(name)
  local own = resource and registry.definition(resource)
  if not own then
    return nil, invalid('%s is not registered', name)
  elseif own.isGroup then
    return nil, invalid('%s is a group', resource)
  elseif not own.isBookable then
    return nil, invalid('%s is not bookable', resource)
  elseif taking.isClosing(resource) then
    return nil, invalid('%s is being deleted', resource)
  end
  return resource, own, slot
end

-- Returns the outcome of a booking for which no slot is free. Takes what is in the way, nil if it is not known.
local function inTheWay(resource, conflict)
  return { status = 'CONFLICT', explanation = 'CONFLICT', resource = resource, conflict = conflict }
end

-- Books a slot on paper. Returns the outcome.
local function put(item, resource, slot, isNamed)
  local actor = tenant.rights and not admission.isOwn(item.requester) and
    item.requester ~= admission.ofPerson('email') and admission.actorName(item.requester) or nil
  records.put(item.id, {
    resource = resource, slot = slot, requester = item.requester, start = item.start, ['end'] = item['end'],
    state = 'b', token = item.token, type = item.type, label = tenant.keyLabel, bookedAt = clock.nowMs(),
    note = item.options.note, actor = actor, claimWithin = item.claimWithin, series = item.series,
    named = isNamed or nil,
  })
  return { status = 'BOOKED', explanation = 'BOOKED', resource = resource, slot = slot, id = item.id }
end

-- Books what an item names. Returns the outcome.
local function bookName(item, name)
  local resource, own, slot = meaningOf(name)
  if not resource then
    return own
  end
  local free, conflict = finding.slotFor(resource, own, slot, item.requester, item.start, item['end'])
  return free and put(item, resource, free, slot ~= nil) or inTheWay(resource, conflict)
end

-- Calls a function for each resource with a label, in order of name, until it returns something, which is returned.
local function eachWith(label, visit)
  local listed, after, looked = 'l' .. label .. '\n', '', 0
  repeat
    local from = after == '' and '[' .. listed or '(' .. listed .. after
    local members = redis.call(
      'ZRANGE', keys.nameIndex, from, '(l' .. label .. '\11', 'BYLEX', 'LIMIT', 0, STEP
    )
    work.spend(3 + #members / 4)
    for i, member in ipairs(members) do
      members[i] = string.sub(member, #listed + 1)
    end
    registry.readDefinitions(members)
    for _, name in ipairs(members) do
      local found = visit(name)
      if found then
        return found
      end
    end
    after, looked = members[#members], looked + #members
  until #members < STEP or looked >= MAX_LOOKED
end

-- Returns when what is in the way of an item ends, in ms.
local function endOf(outcome)
  return outcome.conflict and outcome.conflict.to or math.huge
end

-- Books the first resource that fits the match of an item and has a free slot. Returns the outcome.
local function bookMatch(item)
  local want, soonest = wanted.by(item.options.match, item.options.prefix), nil
  local function try(name)
    work.spend(2)
    local own = registry.definition(name)
    if not own or not own.isBookable or not wanted.fits(want, name) then
      return nil
    end
    local outcome = bookName(item, name)
    if outcome.status == 'BOOKED' then
      return outcome
    elseif not soonest or endOf(outcome) < endOf(soonest) then
      soonest = outcome
    end
  end
  local labels = want.groups[1]
  for _, label in ipairs(tenant.labelled and labels or {}) do
    local found = eachWith(label, try)
    if found then
      return found
    end
  end
  return soonest or invalid('no bookable resource has all of these labels')
end

-- Books an item (frame/items.lua) on paper; its start becomes now if it is just over. Returns the outcome, a table:
--   status       BOOKED, CONFLICT or NOT_VALID; explanation
--   id           of the booking; resource and slot
--   conflict     what is in the way (bookings/finding.lua), nil if that is not known
function booking.book(item)
  local outcome = faultOf(item)
  if not outcome then
    item.start = math.max(item.start, nowInS())
    outcome = item.options.match and bookMatch(item) or bookName(item, item.resource)
  elseif item.series then
    -- An occurrence of a series that breaks a rule counts as a conflict.
    outcome = { status = 'CONFLICT', explanation = 'CONFLICT' .. string.sub(outcome.explanation, #'NOT_VALID' + 1) }
  end
  return outcome
end

-- Moves a booking on paper: it keeps its slot, or gets another one of its pool. Returns its slot; or nil and what is in
-- the way, with nothing changed.
local function move(id, record, own, startS, endS)
  records.put(id, false)
  local slot = record.slot
  local conflict = finding.conflictAt(slot, record.requester, startS, endS)
  if conflict and not record.named and own.capacity > 1 then
    slot, conflict = finding.slotFor(record.resource, own, nil, record.requester, startS, endS)
  end
  records.put(id, record)
  return not conflict and slot or nil, conflict
end

-- Returns the outcome of a change that breaks a rule; nil if it does not.
local function faultOfChange(record, startS, endS, note)
  if record.state ~= 'b' then
    return invalid('it has begun')
  elseif note == '' and terms.isNoteRequired() then
    return invalid('a note is required')
  elseif startS ~= record.start or endS ~= record['end'] then
    return faultOfTime(startS, endS)
  end
end

-- Changes start, end and note of a booking that has not begun, on paper. Takes the id and the record; each of the
-- others is nil if it stays; note '' removes it. Returns the outcome. If that is not BOOKED, nothing has changed.
function booking.change(id, record, startS, endS, note)
  startS, endS = startS or record.start, endS or record['end']
  local _, own = meaningOf(record.resource)
  local fault = faultOfChange(record, startS, endS, note) or own.status and own
  if fault then
    return fault
  end
  startS = math.max(startS, nowInS())
  local slot, conflict = move(id, record, own, startS, endS)
  if not slot then
    return inTheWay(record.resource, conflict)
  end
  local changed = { start = startS, ['end'] = endS, slot = slot }
  if note then
    changed.note = note ~= '' and note or false
  end
  records.change(id, changed)
  return { status = 'BOOKED', explanation = 'BOOKED' }
end

-- Returns true if the caller may change and cancel bookings of a requester (docs/specification.md#booking). Takes the
-- only requester that a derived token may act for, '' any.
function booking.mayChange(record, subject)
  if string.sub(call.args[1], 1, 8) == 'session:' then
    return admission.mayForce(record.requester)
  end
  return subject == '' or subject == record.requester
end

-- Emits an event of a booking that this call has made or changed.
function booking.tell(type, id)
  local record = records.at(id)
  bookingEvents.emit(type, 'BOOKED', id, record, admission.actorName(record.requester))
end

return booking
