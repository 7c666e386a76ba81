-- Tells who holds the one slot that a refused item lacked (docs/specification.md#why-a-reservation-fails).
--@include endOf
--@include slots

-- Returns the end of the reply to a refused item (reserveOne.lua), for asTexts.lua: the slot; requester, '' if it is a
-- blocker; since ms and expiry ms, 0 none; note, '' none.
local function heldBy(refused)
  local record, now = refused.holder, records[refused.held]
  if now and now.claimedAs and now.claimedAs <= refused.claims and now.fence == record.fence then
    -- An item before has claimed it (waiting/claim.lua).
    record = now
  end
  local isBlocker = string.sub(record.owner, 1, 7) == 'system:'
  return table.concat({
    '', refused.held, isBlocker and '' or record.owner, record.token and record.reservedAt or 0,
    record.token and endOf(record) or 0, record.note or '',
  }, '\n')
end
