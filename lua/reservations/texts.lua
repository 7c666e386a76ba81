-- Turns the items of a reply into texts, since an instance reads one string much faster than a list. Names contain no
-- line breaks.
local codec = require('slots/codec')
local ownership = require('reservations/owners')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local work = require('frame/work')
local texts = {}

-- Joins the parts of an item of a reply by line breaks. A refused item that lacked one slot tells who holds that
-- (docs/specification.md#why-a-reservation-fails): the slot; requester, '' if it is a blocker; since ms and expiry ms,
-- 0 none; note, '' none.
local function textOf(item)
  local text, record = table.concat(item, '\n'), item.holder
  if not record then
    return text
  end
  local now = slotMap.records[item.held]
  if now and now.claimedAs and now.claimedAs <= item.claims and now.fence == record.fence then
    -- An item before has claimed it (waiting/endings.lua).
    record = now
  end
  local isBlocker = slotMap.declarerOf(record.owner)
  return table.concat({
    text, item.held, isBlocker and '' or record.owner, record.token and record.reservedAt or 0,
    record.token and ownership.endOf(record) or 0, record.note or '',
  }, '\n')
end

-- Turns the items of a reply into texts, from its place `first` on. Returns the reply.
function texts.asTexts(reply, first)
  for i = first, #reply do
    reply[i] = textOf(reply[i])
  end
  return reply
end

-- Describes the reservation that holds a slot, as slotText().
function texts.holdText(slot, refCount, own)
  return table.concat({
    slot, 'o', own.owner, refCount, own.reservedAt, ownership.endOf(own), own.token == codec.UNCLAIMED and 1 or 0,
    own.session and 1 or 0, own.requestedName, own.label, own.note or '',
  }, '\n')
end

-- Describes a slot for a page that shows who holds what. Returns a text with a line for each of: the slot; whether it
-- is '' free, 'o' held by a reservation of its own, 'a' taken along by other reservations, 's' held SHARED; the holder;
-- number of reservations that hold it; since ms; end ms, 0 none; 1 if it waits to be claimed, else 0; 1 if it ends with
-- a session, else 0; the name that was asked for; label of the key; note, '' none; and, if it is held SHARED, the first
-- who hold it.
function texts.slotText(slot)
  local record = slotMap.recordAt(slot)
  work.spend(2)
  if not record then
    return slot .. '\n'
  elseif shared.isSharedHold(slot, record) then
    return table.concat({ slot, 's', '', record.refCount, 0, 0, 0, 0, slot, '', '', record.holders or '' }, '\n')
  end
  local own = record.token and record or ownership.reservationAt(slot, record.owner)
  if not own then
    return table.concat({ slot, 'a', record.owner, record.refCount, 0, 0, 0, 0, '', '', '' }, '\n')
  end
  return texts.holdText(slot, record.refCount, own)
end

return texts
