--@rare
-- Refuses a request that exceeds the cap on concurrent reservations, or the limit of bytes (cap.lua).
--@include clock
--@include limits
--@include refuse

-- Returns the reply that refuses a request which asked for so many reservations. Call it when all changes are written.
local function refuseAtCap(requestType, asked)
  local untilNextS = math.ceil((tenant.nextDue - nowMs) / 1000)
  if tenant.keepsTooMuch then
    return refuse(requestType, 'StoredBytes', limits.bytes, 1, 1)
  end
  return refuse(requestType, 'ConcurrentReservations', limits.reservations, asked, math.max(1, math.min(60, untilNextS)))
end
