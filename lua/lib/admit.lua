-- Authenticates the caller. ARGV[1] is one of
--   the SHA-256 of an API key, hexadecimal token:<SHA-256> of a derived token, or session:<SHA-256> of a session: each
--   is a key of its own here, which expires, and is passed as the script's credential key; for others that is the
--   tenant's hash once more '' the service itself
-- A rotated key is dead from the moment rotation is answered, since no script runs without this check.
--@include tenant
local function admit()
  if ARGV[1] == '' then
    return nil
  elseif not tier then
    return { 'NO_TENANT' }
  elseif not tenant[1] and (credentialKey == tenantKey or redis.call('EXISTS', credentialKey) == 0) then
    return { 'NO_KEY' }
  elseif suspended then
    return { 'SUSPENDED' }
  end
end
