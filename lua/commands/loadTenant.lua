--[[
  Puts a tenant's record in place: its tier, what that allows and, in place of all it had, its keys. Its reservations stay as they
  are; its streams end where their keys are gone.

  KEYS[1]  the tenant's hash

  ARGV[1]  tier
  ARGV[2]  what that allows, 4294967295 being any number: writes a minute
  ARGV[3]  writes a day
  ARGV[4]  reservations at the same time
  ARGV[5]  streams of events at the same time
  ARGV[6]  the first of two for each key: SHA-256 of the key, label ('' none)

  Returns nothing.
]]
local keysKey = string.sub(KEYS[1], 1, -7) .. 'keys'
redis.call('DEL', keysKey)
for i = 6, #ARGV, 2 do
  redis.call('HSET', keysKey, ARGV[i], ARGV[i + 1])
end
local limits = struct.pack('>I4I4I4I4', tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]))
-- Each tier has windows of its own (interface, "Limits").
if redis.call('HGET', KEYS[1], 'tier') ~= ARGV[1] then
  redis.call('HDEL', KEYS[1], 'usage')
end
redis.call('HSET', KEYS[1], 'tier', ARGV[1], 'limits', limits)
-- Tells instances to look whether the keys of the streams they hold are still valid.
redis.call('SPUBLISH', string.sub(KEYS[1], 1, -7) .. 'events', '')
