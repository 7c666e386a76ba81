-- Says what a person may end without its release token (docs/specification.md#release).
--@include actorName

-- Returns true if the caller is a person who may end what this requester has: with the right `force` whatever it is,
-- else only what the person's own e-mail address has.
local function mayForce(requester)
  return tenant.session and tenant.session ~= '' and
    (tenant.rights == nil or string.find(' ' .. tenant.rights .. ' ', ' force ', 1, true) ~= nil or
      ofPerson('email') == requester)
end
