-- Describes a slot for a page that shows who holds what.
--@include endOf
--@include owners
--@include shared
--@include unclaimed

-- Describes the reservation that holds a slot.
local function holdText(slot, refCount, own)
  return table.concat({
    slot, 'o', own.owner, refCount, own.reservedAt, endOf(own), own.token == UNCLAIMED and 1 or 0,
    own.session and 1 or 0, own.requestedName, own.label, own.note or '',
  }, '\n')
end

-- Returns a text with a line for each of: the slot; whether it is '' free, 'o' held by a reservation of its own, 'a'
-- taken along by other reservations, 's' held SHARED; the holder; number of reservations that hold it; since ms; end
-- ms, 0 none; 1 if it waits to be claimed, else 0; 1 if it ends with a session, else 0; the name that was asked for;
-- label of the key; note, '' none; and, if it is held SHARED, the first who hold it.
local function slotText(slot)
  local record = recordAt(slot)
  spend(2)
  if not record then
    return slot .. '\n'
  elseif isSharedHold(slot, record) then
    return table.concat({ slot, 's', '', record.refCount, 0, 0, 0, 0, slot, '', '', record.holders or '' }, '\n')
  end
  local own = record.token and record or reservationAt(slot, record.owner)
  if not own then
    return table.concat({ slot, 'a', record.owner, record.refCount, 0, 0, 0, 0, '', '', '' }, '\n')
  end
  return holdText(slot, record.refCount, own)
end
