-- Verbs of bookings (docs/specification.md#bookings).
local bookable = require('definitions/bookable')
local booking = require('bookings/book')
local cancelling = require('bookings/cancel')
local charged = require('frame/charged')
local committing = require('frame/commit')
local flags = require('frame/call').flags
local itemForms = require('frame/items')
local keys = require('frame/keys')
local lists = require('bookings/lists')
local naming = require('definitions/names')
local quota = require('limits/quota')
local reading = require('frame/reading')
local records = require('bookings/records')
local releasing = require('reservations/release')
local tenant = require('frame/tenant')
local work = require('frame/work')
local verbs = {}

--[[ book (ARGV[1] credential, ARGV[2] flags)
  Books slots for a time ahead: all items of the request, or none.

  ARGV[3]  1 if those that conflict are left out, and the others are booked; else ''
  ARGV[4]  the first item (frame/items.lua)

  Returns {'OK', quota, 'BOOKED', 'CONFLICT' or 'NOT_VALID', item, ...}. An item is a text of lines: BOOKED, CONFLICT,
  NOT_VALID or ROLLED_BACK; the explanation; the id of the booking, '' none; the resource, the slot, '' none; start and
  end in s; the id of the series, '' none; and, if it is known what is in the way: BOOKING or HOLD, the slot, the
  requester ('' several), from and until in ms (0 never), and the note ('' none).
]]
-- Adds what is in the way to the lines of a text.
local function addConflict(lines, conflict)
  if conflict then
    local n, to = #lines, conflict.to < math.huge and string.format('%.0f', conflict.to) or 0
    lines[n + 1], lines[n + 2], lines[n + 3] = conflict.kind, conflict.slot, conflict.requester or ''
    lines[n + 4], lines[n + 5], lines[n + 6] = string.format('%.0f', conflict.from), to, conflict.note or ''
  end
  return table.concat(lines, '\n')
end

-- Returns the text of an item.
local function textOf(item, outcome, isBooked)
  local isUndone = outcome.status == 'BOOKED' and not isBooked
  return addConflict({
    isUndone and 'ROLLED_BACK' or outcome.status, isUndone and 'ROLLED_BACK' or outcome.explanation,
    isBooked and outcome.id or '', outcome.resource or item.resource, isBooked and outcome.slot or '', item.start,
    item['end'], item.series or '',
  }, outcome.conflict)
end

-- Fields of the request, besides those of frame/charged.lua: outcomes, of the items; count[status]: how many have it.
local function bookItem(item, request)
  local outcome = booking.book(item)
  request.outcomes[#request.outcomes + 1] = outcome
  request.count[outcome.status] = (request.count[outcome.status] or 0) + 1
end

-- Returns the status of a request.
local function statusOf(count, isSkipping)
  if count.NOT_VALID > 0 then
    return 'NOT_VALID'
  elseif count.CONFLICT > 0 and not (isSkipping and count.BOOKED > 0) then
    return 'CONFLICT'
  end
  return 'BOOKED'
end

-- Returns the reply that refuses the request if the tenant would have too many bookings; nil if it would not.
local function overLimit(request)
  local limit, more = tenant.limits.bookings, request.count.BOOKED
  if more > 0 and lists.count() > limit then
    committing.rollBack(request.before)
    if not flags.isDry then
      committing.finish()
    end
    return quota.refuse('BOOK', 'Bookings', limit, more, 60)
  end
end

local function carryOutBook(request)
  local items, reply, isSkipping = request.items, request.reply, request.args[3] == '1'
  request.outcomes, request.count = {}, { BOOKED = 0, CONFLICT = 0, NOT_VALID = 0 }
  local refused = charged.eachItem(request, bookItem, 0.9)
  if refused then
    return refused
  end
  reply[3] = statusOf(request.count, isSkipping)
  local isBooked = reply[3] == 'BOOKED'
  if not isBooked then
    committing.rollBack(request.before)
  end
  for i, outcome in ipairs(request.outcomes) do
    reply[i + 3] = textOf(items[i], outcome, isBooked and outcome.status == 'BOOKED')
  end
  return isBooked and overLimit(request) or nil
end

local function completeBook(request)
  for _, outcome in ipairs(request.reply[3] == 'BOOKED' and request.outcomes or {}) do
    if outcome.id then
      booking.tell('BOOKED', outcome.id)
    end
  end
end

verbs.book = charged.verb({
  right = 'reserve', requestType = 'BOOK', isRemembered = true, firstItem = 4, readItem = itemForms.bookItem,
  place = 'bookings', makesDue = true, fault = bookable.whyClosed, carryOut = carryOutBook, complete = completeBook,
})

--[[ changeBooking (ARGV[1] credential, ARGV[2] flags)
  Changes a booking that has not begun, or leaves it as it is.

  ARGV[3]  the id of the booking
  ARGV[4]  its new start in s, '' as it is
  ARGV[5]  its new end
  ARGV[6]  '' if its note stays, else '=' and the new note, which may be ''
  ARGV[7]  the only requester that the caller may act for, '' any

  Returns {'OK', quota}: there is none; or {'OK', quota, item, number of resets, record as JSON}: as for book, and in
  the form of the verb bookings.
]]
-- Returns the record of a booking that the caller may change, false if there is none. May set tenant.foreign.
local function ownRecord(id, subject)
  local record = records.at(id)
  if record and tenant.mayChange and not tenant.mayChange(record.resource) then
    tenant.foreign = 'This booking is of a resource that does not start with "' .. tenant.prefix .. '".'
  elseif record and not booking.mayChange(record, subject) then
    tenant.foreign = 'This booking is of another requester: to change it needs the right "force".'
  end
  return record
end

local function carryOutChange(request)
  local args, reply = request.args, request.reply
  local id, note = args[3], args[6] ~= '' and string.sub(args[6], 2) or nil
  local record = ownRecord(id, args[7])
  if not record or tenant.foreign then
    return nil
  end
  naming.readMeanings({ record.resource })
  if work.isOverBudget(function()
    request.outcome = booking.change(id, record, tonumber(args[4]), tonumber(args[5]), note)
  end) then
    return work.tooMuch('the booking')
  end
  local now = records.at(id)
  local outcome = request.outcome
  reply[3] = addConflict({
    outcome.status, outcome.explanation, id, now.resource, now.slot, now.start, now['end'], now.series or '',
  }, outcome.conflict)
  reply[4], reply[5] = records.resets(), cjson.encode(now)
end

local function completeChange(request)
  if request.outcome and request.outcome.status == 'BOOKED' then
    booking.tell('BOOKING_CHANGED', request.args[3])
  end
end

verbs.changeBooking = charged.verb({
  right = 'reserve', requestType = 'BOOK', isRemembered = true, makesDue = true, fault = bookable.whyClosed,
  carryOut = carryOutChange, complete = completeChange,
})

--[[ cancelBookings (ARGV[1] credential, ARGV[2] flags)
  Cancels bookings, those that run too, in pieces.

  ARGV[3]  cursor returned by the last piece; '' at first
  ARGV[4]  what: 'b' and the id of a booking, 'e' and that of a series, or 'r' and the name of a resource
  ARGV[5]  only those that start at or after this, in s; '' all
  ARGV[6]  the only requester that the caller may act for, '' any

  Returns {'OK', quota, cursor, number of bookings that were cancelled by this piece and those before, resource,
  requester, ...}: a pair for each requester from whom a person has taken bookings in this piece. With the cursor '' it
  was the last one.
]]
local PIECE, PIECE_WORK = 100, 3000

-- Returns the ids of a piece, and the cursor of the next one, nil at the end.
local function idsOf(request, after)
  local kind, name = string.sub(request.args[4], 1, 1), string.sub(request.args[4], 2)
  if kind == 'b' then
    return { name }
  end
  local prefix = kind .. name .. '\n'
  if not after and request.args[5] ~= '' then
    after = prefix .. string.format('%010d', tonumber(request.args[5]))
  end
  return lists.idsOf(prefix, after, PIECE)
end

-- Cancels a booking, and adds its requester to the reply if a person takes it from somebody else.
local function cancelOne(id, record, reply, isTold)
  cancelling.cancel(id, record)
  reply[4] = reply[4] + 1
  if cancelling.isTaken(record.requester) and not isTold[record.requester] then
    isTold[record.requester] = true
    reply[#reply + 1], reply[#reply + 2] = record.resource, record.requester
  end
end

local function carryOutCancel(request)
  local args, reply, limit, isTold = request.args, request.reply, work.done + PIECE_WORK, {}
  local before, after = string.match(request.cursor or args[3], '^(%d+) (.+)$')
  local ids, last = idsOf(request, after)
  reply[4] = tonumber(before or 0)
  records.read(ids)
  for i, id in ipairs(ids) do
    local record = ownRecord(id, args[6])
    if tenant.foreign then
      return
    elseif record then
      cancelOne(id, record, reply, isTold)
    else
      -- If a reset has ended it, nothing has removed it yet: it would keep its resource from being deleted.
      records.drop(id)
    end
    if record and work.done > limit and ids[i + 1] then
      last = args[4] .. '\n' .. string.format('%010d', record.start) .. id
      break
    end
  end
  reply[3] = last and string.format('%d ', reply[4]) .. last or ''
  request.nextCursor = last and reply[3]
end

verbs.cancelBookings = charged.verb({
  right = 'reserve', requestType = 'BOOK', isRemembered = true, carryOut = carryOutCancel,
  written = releasing.keepTaken,
})

--[[ bookings (ARGV[1] credential, ARGV[2] reads)
  Returns one page of the tenant's bookings, by start. A page ends after a number of them, or of bytes.

  ARGV[3]  cursor returned with the previous page; '' for the first page
  ARGV[4]  number of bookings to read
  ARGV[5]  only of this resource; '' any
  ARGV[6]  only of this requester; '' any. With a resource, the caller leaves out those of others
  ARGV[7]  only those that start at or after this, in s; '' all
  ARGV[8]  only those that start before this, in s; '' all

  Returns {'OK', quota, cursor, number of resets, number of bookings from the cursor on, id, record as JSON, ...}.
  Cursor '' means that this was the last page. A running booking with another number of resets is over.
]]
-- Returns the member of `booked` before which those that start at a time in s are; nil if none is asked for.
local function memberAt(prefix, text)
  return text ~= '' and prefix .. string.format('%010d', tonumber(text)) or nil
end

-- Returns the range of `booked` that a list goes through from a cursor on: prefix, member behind which, before which.
local function rangeOf(cursor, resource, requester, from, to)
  local prefix = resource ~= '' and 'r' .. resource .. '\n' or requester ~= '' and 'q' .. requester .. '\n' or 'a'
  return prefix, cursor ~= '' and cursor or memberAt(prefix, from), memberAt(prefix, to)
end

-- The bytes of the records of a page, at most a step more; and the records that are read at once.
local MAX_BYTES, STEP = 131072, 100

verbs.bookings = reading.verb('read', function(_, args)
  local prefix, after, before = rangeOf(args[3], args[5], args[6], args[7], args[8])
  local reply = { 'OK', quota.readsQuota, '', records.resets(), lists.countOf(prefix, after, before) }
  local ids, last, members = lists.idsOf(prefix, after, tonumber(args[4]), before)
  local bytes, from = 0, 1
  while ids[from] do
    local to = math.min(from + STEP - 1, #ids)
    for i, text in ipairs(redis.call('HMGET', keys.bookings, unpack(ids, from, to))) do
      if text then
        reply[#reply + 1], reply[#reply + 2] = ids[from + i - 1], text
        bytes = bytes + #text
      end
    end
    if bytes > MAX_BYTES and ids[to + 1] then
      last = members[to]
      break
    end
    from = to + 1
  end
  reply[3] = last or ''
  return reply
end)

return verbs
