--[[
  Puts a tenant's record in place: its tier, what that allows and, in place of all it had, its keys. Its reservations stay as they
  are; its streams end where their keys are gone.

  KEYS[1]  the tenant's hash

  ARGV[1]  tier
  ARGV[2]  streams of events that it may have at once; '' any number
  ARGV[3]  the first of two for each key: SHA-256 of the key, label ('' none)

  Returns nothing.
]]
local keysKey = string.sub(KEYS[1], 1, -7) .. 'keys'
redis.call('DEL', keysKey)
for i = 3, #ARGV, 2 do
  redis.call('HSET', keysKey, ARGV[i], ARGV[i + 1])
end
redis.call('HSET', KEYS[1], 'tier', ARGV[1], 'eventConnections', ARGV[2])
-- Tells instances to look whether the keys of the streams they hold are still valid.
redis.call('SPUBLISH', string.sub(KEYS[1], 1, -7) .. 'events', '')
