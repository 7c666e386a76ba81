-- Begins a charged request that must not run twice: a retry gets the reply that the first try remembered (answers.lua).
--@include admit
--@include answers
--@include expiry
--@include quota

-- Authenticates the caller, charges the request and ends due reservations. Returns nil; or the reply that ends the
-- script.
local function requestOnce(requestType, cost)
  return admit() or answerBefore() or charge(requestType, cost) or expire()
end
