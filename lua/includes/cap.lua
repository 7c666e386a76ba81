-- The tenant's cap of reservations at the same time (decisions, section 8). Takes count as it was before the request. Returns an
-- answer that refuses the request whole, all it did undone, where it would take the tenant over its cap; else nil.
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
