-- Begins a charged request that must not run twice: a retry gets the reply that the first try remembered (answers.lua).
--@include admit
--@include answers
--@include expiry
--@include quota

-- Authenticates the caller, who needs this right for these items (admit.lua), charges the request and ends due
-- reservations. Takes `once` of once.lua, nil if the request has no Idempotency-Key; and whether the items name
-- reservations, so that they may be carried out before all that is due (expiry.lua). Returns nil; or the reply that
-- ends the script.
local function requestOnce(right, requestType, cost, items, keeper, mayBeApart)
  local refused = admit(right, items)
  if not refused and keeper then
    refused = keeper.before()
  elseif not refused then
    refused = answerBefore()
  end
  return refused or charge(requestType, cost) or expire(mayBeApart and items or nil)
end
