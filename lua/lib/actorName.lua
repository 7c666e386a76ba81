-- Names who sends the request (docs/specification.md#who-did-it).
--@include tenant

-- Returns a text of the sign-in session's value (src/engine/tenant/signIns.ts); nil if it has none by this name. A
-- quote inside a JSON text follows a backslash, so these marks can only be those around a text.
local function ofPerson(name)
  local text = string.match(tenant.session, '"' .. name .. '":"(.-)","')
  return text and (string.gsub(text, '\\(.)', '%1'))
end

-- Takes a requester of the request: a derived token acts for its subject alone, so that is its requester. Returns nil
-- for the service itself.
local function actorName(requester)
  local kind = string.match(ARGV[1], '^(%a+):')
  if kind == 'session' then
    -- Sessions of the release before have no actor.
    return ofPerson('actor') or 'person:' .. (ofPerson('email') or ofPerson('subject') or '')
  elseif kind == 'token' then
    return 'user:' .. requester
  elseif ARGV[1] == '' then
    return nil
  end
  local as = kind == 'management' and 'token' or 'key'
  return tenant.keyLabel == '' and as or as .. ':' .. tenant.keyLabel
end
