-- Begins a charged request that changes reservations.
--@include admit
--@include expiry
--@include quota

-- Authenticates the caller, who needs the right `reserve` for these items (admit.lua), charges the request and ends due
-- reservations. Takes `once` of once.lua. Returns nil; or the reply that ends the script.
local function request(requestType, cost, items, keeper)
  return admit('reserve', items) or keeper and keeper.before() or charge(requestType, cost) or
    expire(items)
end
