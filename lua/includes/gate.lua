-- Who asks. ARGV[1] is the SHA-256 of the API key; a script that includes this goes no further unless the tenant has
-- that key now, so a rotated key is dead from the moment rotation is answered (decisions, section 9).
-- Returns {'NO_KEY'}, or {'NO_TENANT'} where Redis knows nothing of the tenant. Gives keyLabel, '' for none.
local keyLabel = redis.call('HGET', string.sub(KEYS[1], 1, -7) .. 'keys', ARGV[1])
if not keyLabel then
  return { redis.call('HEXISTS', KEYS[1], 'limits') == 1 and 'NO_KEY' or 'NO_TENANT' }
end
