-- The tenant's cap on concurrent reservations.
--@include clock
--@include finish
--@include further
--@include limits
--@include refuse
--@include rollback

-- A reservation of several slots counts as that many. The items of waiting tickets count too, so that no grant exceeds
-- the cap.
--
-- Takes the state before the request (rollback.lua). Returns nil; or, if the request would exceed the cap, rolls back
-- all its changes and returns the reply that refuses it as a whole.
local function overCap(requestType, before)
  local cap = limits.reservations
  local pending = tenant.queue and tenant.queue.pending.items or 0
  local waiting = tenant.queueState and tenant.queueState.items or 0
  local more = tenant.count + tenant.further - before.count + pending
  if tenant.count + tenant.further + waiting + pending <= cap or more <= 0 then
    return nil
  end
  correctFurther()
  if tenant.count + tenant.further + waiting + pending <= cap then
    return nil
  end
  rollback(before)
  finish()
  local untilNextS = math.ceil((tenant.nextDue - nowMs) / 1000)
  return refuse(requestType, 'ConcurrentReservations', cap, more, math.max(1, math.min(60, untilNextS)))
end
