--@rare
-- Knows the person who sends a request by what they reserve with on the dashboard.
--@include ofPerson

-- Returns true if the caller is a person, and this is the requester that they reserve with (requesterOf() in
-- src/engine/tenant/signIns.ts). Sessions of the release before do not have it.
local function isOwn(requester)
  if not tenant.session or tenant.session == '' then
    return false
  end
  local email = ofPerson('email')
  return requester == (ofPerson('requester') or email and 'person:' .. email)
end
