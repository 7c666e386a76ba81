--[[
  Puts a tenant's record in place: its tier and, in place of all it had, its keys. Its reservations stay as they are.

  KEYS[1]  the tenant's hash

  ARGV[1]  tier
  ARGV[2]  the first of two for each key: SHA-256 of the key, label ('' none)

  Returns nothing.
]]
local keysKey = string.sub(KEYS[1], 1, -7) .. 'keys'
redis.call('DEL', keysKey)
for i = 2, #ARGV, 2 do
  redis.call('HSET', keysKey, ARGV[i], ARGV[i + 1])
end
redis.call('HSET', KEYS[1], 'tier', ARGV[1])
