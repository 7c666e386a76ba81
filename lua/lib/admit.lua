-- Authenticates the caller. ARGV[1] is the credential, one of
--   the SHA-256 of an API key, hexadecimal
--   token:<SHA-256> of a derived token, or session:<SHA-256> of a session: each is a Redis key that expires, passed as
--     the script's credential key; for other credentials that key is the tenant's hash
--   '' the service itself
-- Every script makes this check, so an old key stops working before the reply to its rotation is sent.
--@include tenant

-- Returns nil; or the reply that refuses the caller: {'NO_TENANT'}, {'NO_KEY'} or {'SUSPENDED'}.
local function admit()
  if ARGV[1] == '' then
    return nil
  elseif not tenant.tier then
    return { 'NO_TENANT' }
  elseif not tenant.hasKey and (credentialKey == tenantKey or redis.call('EXISTS', credentialKey) == 0) then
    return { 'NO_KEY' }
  elseif tenant.isSuspended then
    return { 'SUSPENDED' }
  end
end
