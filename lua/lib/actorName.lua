-- Names who sends the request (docs/specification.md#who-did-it).
--@include ofPerson
--@include tenant

-- Takes a requester of the request: a derived token acts for its subject alone, so that is its requester. Returns nil
-- for the service itself.
local function actorName(requester)
  local kind = string.match(ARGV[1], '^(%a+):')
  if kind == 'session' then
    return ofPerson('actor')
  elseif kind == 'token' then
    return 'user:' .. requester
  elseif ARGV[1] == '' then
    return nil
  end
  local as = kind == 'management' and 'token' or 'key'
  return tenant.keyLabel == '' and as or as .. ':' .. tenant.keyLabel
end
