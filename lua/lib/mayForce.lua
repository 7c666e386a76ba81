--@rare
-- Says what a person may end and extend without its release token (docs/specification.md#release).
--@include ofPerson
--@include isOwn

-- Returns true if the caller is a person who may end what this requester has: with the right `force` whatever it is,
-- else only what they reserved on the dashboard, and what their own e-mail address has.
local function mayForce(requester)
  return tenant.rights and
    (string.find(' ' .. tenant.rights .. ' ', ' force ', 1, true) ~= nil or ofPerson('email') == requester or
      isOwn(requester))
end
