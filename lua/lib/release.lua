-- Ends reservations.
--@include copyWith
--@include isShare
--@include report
--@include slots

-- The slots that became free in this script, in order.
local freed = {}

-- Removes one reference to a slot, which a reservation of the requester had. Removing the last one frees it.
local function releaseHold(slot, requester)
  local record = recordAt(slot)
  if not record then
    report('slot ' .. slot .. ': a plan named it, and it was free')
  elseif record.refCount > 1 then
    local holders = record.holders
    if holders then
      local from, to = string.find('\n' .. holders, '\n' .. requester .. '\n', 1, true)
      holders = from and string.sub(holders, 1, from - 1) .. string.sub(holders, to) or holders
    end
    setRecord(slot, copyWith(record, { refCount = record.refCount - 1, holders = holders }))
  else
    setRecord(slot, false)
    freed[#freed + 1] = slot
  end
end

-- Ends a reservation and releases the slots of its recorded plan. Adds the slots that become free to `freed`, its own
-- first.
local function release(reservation)
  local slot = reservation.slot
  if isShare(slot) then
    setRecord(slot, false)
  elseif reservation.refCount > 1 then
    -- Plans of other reservations hold the slot too, so it stays held, without a reservation of its own.
    setRecord(slot, {
      owner = reservation.owner, refCount = reservation.refCount - 1, pool = reservation.pool, byName = reservation.byName,
    })
  else
    releaseHold(slot, reservation.owner)
  end
  if reservation.plan ~= '' then
    local others = {}
    for other in string.gmatch(reservation.plan, '[^\n]+') do
      others[#others + 1] = other
    end
    readSlots(others)
    for _, other in ipairs(others) do
      releaseHold(other, reservation.owner)
    end
  end
end
