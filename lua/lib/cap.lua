-- The tenant's cap of reservations at the same time.
--@include commit
--@include refuse

-- Takes journal length, fence and count as they were before the request. Returns nil; or, if the request would take the
-- tenant over its cap, the reply that refuses it whole, with all it did undone.
local function overCap(requestType, mark, fenceBefore, countBefore)
  if count <= reservationCap or count <= countBefore then
    return nil
  end
  local asked = count - countBefore
  undo(mark)
  fence = fenceBefore
  commit()
  local untilNextS = math.ceil((nextDue - nowMs) / 1000)
  return refuse(requestType, 'ConcurrentReservations', reservationCap, asked, math.max(1, math.min(60, untilNextS)))
end
