-- Who asks; a script that includes this goes no further unless the tenant knows the asker now, so a rotated key is dead from the
-- moment rotation is answered (decisions, section 9). ARGV[1] is one of
--   the SHA-256 of an API key, hexadecimal
--   token:<SHA-256> of a derived token, or session:<SHA-256> of a session: each is a key here, which ends by itself
--   '' the service itself
-- Returns {'NO_KEY'}, {'SUSPENDED'} where the tenant is, or {'NO_TENANT'} where Redis knows nothing of the tenant. Gives keyLabel, '' for
-- none.
local askerBase = string.sub(KEYS[1], 1, -7)
local keyLabel = redis.call('HGET', askerBase .. 'keys', ARGV[1]) or ARGV[1] == '' and ''
if not keyLabel then
  local found = redis.call('HMGET', KEYS[1], 'tier', 'suspended')
  if not found[1] then
    return { 'NO_TENANT' }
  elseif redis.call('HEXISTS', askerBase .. 'suspendedKeys', ARGV[1]) == 0 and
    (#ARGV[1] == 64 or redis.call('EXISTS', askerBase .. ARGV[1]) == 0) then
    return { 'NO_KEY' }
  elseif found[2] == '1' then
    return { 'SUSPENDED' }
  end
  keyLabel = ''
end
