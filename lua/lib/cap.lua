-- The tenant's cap on concurrent reservations, and its limit of bytes (isOverBytes.lua): what would take more of one is
-- refused, and what takes nothing more is not.
--@include clock
--@include finish
--@include flags
--@include limits
--@include isOverBytes
--@include refuseAtCap
--@include rollback

-- A reservation of several slots counts as that many. The items of waiting tickets count too, so that no grant exceeds
-- the cap; and so does each session.
--
-- Takes the state before the request (rollback.lua), and the number of sessions that it begins (nil: 0). Returns nil;
-- or, if the request would exceed the cap or the tenant keeps too many bytes, rolls back all its changes and returns
-- the number of reservations that it asked for.
local function askedOverCap(before, begun)
  local cap = limits.reservations
  -- Only scripts whose requests may wait have any pending (waiting/requests.lua).
  local asked = tenant.queue and tenant.queue.pending
  local pending = asked and asked.items or 0
  local waiting = tenant.queueState and tenant.queueState.items or 0
  local others = waiting + pending + (tenant.sessions and tenant.sessions.count or 0) + (begun or 0)
  local more = tenant.count + tenant.further - before.count + pending + (begun or 0)
  if more <= 0 then
    return nil
  end
  tenant.keepsTooMuch = limits.bytes < NO_LIMIT and tenant.bytes >= limits.bytes and isOverBytes()
  if tenant.keepsTooMuch then
    rollback(before)
    return more
  elseif tenant.count + tenant.further + others <= cap then
    return nil
  end
  rollback(before)
  return more
end

-- Returns nil; or, if the request would exceed the cap, rolls back all its changes and returns the reply that refuses
-- it as a whole. Takes what askedOverCap() takes.
local function overCap(requestType, before, begun)
  local asked = askedOverCap(before, begun)
  if not asked then
    return nil
  end
  if not flags.isDry then
    finish()
  end
  return refuseAtCap(requestType, asked)
end
