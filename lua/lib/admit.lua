-- Authenticates the caller. ARGV[1] is the credential, one of
--   the SHA-256 of an API key, hexadecimal; management:<SHA-256> of a management token
--   token:<SHA-256> of a derived token, or session:<SHA-256> of a session: each is a Redis key that expires, passed as
--     the script's credential key; for other credentials that key is the tenant's hash
--   '' the service itself
-- Every script makes this check, so an old key stops working before the reply to its rotation is sent, and a changed
-- role holds from the moment that the change is answered.
--@include tenant

-- Takes the right that the request needs (src/domain/rights.ts), nil for none. If that is a right to change something,
-- takes the items whose names it changes, nil for all names of the tenant, and the prefix of their places in messages
-- (nil or 'requests'). Returns nil; or the reply that refuses the caller: {'NO_TENANT'}, {'NO_KEY'}, {'SUSPENDED'} or
-- {'FORBIDDEN', message}.
local function admit(right, items, place)
  if ARGV[1] == '' then
    return nil
  elseif not tenant.tier then
    return { 'NO_TENANT' }
  end
  -- nil: all rights that a key without restrictions, or a derived token, can have
  local rights
  if tenant.grant then
    local endsAt
    rights, endsAt, tenant.prefix = string.match(tenant.grant, '^([^\n]*)\n(%d+)\n(.*)$')
    tenant.endsAt = tonumber(endsAt)
    local time = endsAt ~= '0' and redis.call('TIME')
    if time and time[1] * 1000 + math.floor(time[2] / 1000) >= tenant.endsAt then
      return { 'NO_KEY' }
    end
  elseif not tenant.hasKey then
    tenant.session = credentialKey ~= tenantKey and redis.call('GET', credentialKey)
    -- A sign-in session begins with its rights. The value of a derived token is empty.
    rights = tenant.session and string.match(tenant.session, '^{"rights":"([^"]*)"')
    if not tenant.session or not rights and string.sub(ARGV[1], 1, 6) ~= 'token:' then
      return { 'NO_KEY' }
    end
    tenant.rights = rights
  end
  if tenant.isSuspended then
    return { 'SUSPENDED' }
  elseif right and rights and not string.find(' ' .. rights .. ' ', ' ' .. right .. ' ', 1, true) then
    return { 'FORBIDDEN', 'This needs the right "' .. right .. '", which this key, token or role does not have.' }
  elseif tenant.prefix and tenant.prefix ~= '' and (right == 'reserve' or right == 'define' or right == 'reset') then
--@include prefix
    local why = whyForeign(items, place)
    return why and { 'FORBIDDEN', why }
  end
end
