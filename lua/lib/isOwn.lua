--@rare
-- Knows the person who sends a request by what they reserve with on the dashboard.
--@include ofPerson

-- Returns true if the caller is a person, and this is the requester that they reserve with (requesterOf() in
-- src/engine/tenant/signIns.ts).
local function isOwn(requester)
  return tenant.rights and requester == ofPerson('requester')
end
