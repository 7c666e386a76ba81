--[[
  Puts a tenant's record in place: tier, settings and, in place of all it had, its keys. Its reservations stay as they are; its
  streams end where their keys are gone. A record that is newer than this one stays (decisions, section 10).

  KEYS[1]  the tenant's hash

  ARGV[1]  version of the record; '' puts it in place whatever is there
  ARGV[2]  version of the definitions, which have been copied here under the lease below; '' where they have not: a tenant that is
           not here as a whole is then left alone, but for a copy of it that goes on, which is made to begin anew
  ARGV[3]  the lease of that copy; '' none is needed
  ARGV[4]  tier
  ARGV[5]  1: it is suspended; 0
  ARGV[6]  1: only what is registered may be reserved; 0
  ARGV[7]  the first of two for each key: SHA-256 of the key, label ('' none)

  Returns 'OK', or 'LOST' where the copy's lease is not held any more: nothing was done.
]]
local base = string.sub(KEYS[1], 1, -7)
local tenant = redis.call('HMGET', KEYS[1], 'tier', 'version')
if ARGV[3] ~= '' then
  if redis.call('GET', base .. 'copying') ~= ARGV[3] then
    return 'LOST'
  end
  redis.call('DEL', base .. 'copying')
elseif ARGV[2] == '' and not tenant[1] then
  redis.call('DEL', base .. 'copying')
  return 'OK'
end
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'definitionsVersion', ARGV[2])
end
if ARGV[1] ~= '' and tenant[2] and tonumber(tenant[2]) > tonumber(ARGV[1]) then
  return 'OK'
end
redis.call('DEL', base .. 'keys', base .. 'suspendedKeys')
local unused = {}
for _, digest in ipairs(redis.call('HKEYS', base .. 'used')) do
  unused[digest] = true
end
-- Where no gate looks for them: a suspended tenant costs those that are not suspended nothing.
local keysKey = base .. (ARGV[5] == '1' and 'suspendedKeys' or 'keys')
for i = 7, #ARGV, 2 do
  redis.call('HSET', keysKey, ARGV[i], ARGV[i + 1])
  unused[ARGV[i]] = nil
end
for digest in pairs(unused) do
  redis.call('HDEL', base .. 'used', digest)
end
-- Each tier has windows of its own (interface, "Limits").
if tenant[1] ~= ARGV[4] then
  redis.call('HDEL', KEYS[1], 'usage')
end
redis.call(
  'HSET', KEYS[1],
  'version', ARGV[1] == '' and 0 or ARGV[1], 'tier', ARGV[4], 'suspended', ARGV[5], 'requireRegistration', ARGV[6]
)
-- Tells instances to look whether the keys of the streams they hold are still valid.
redis.call('SPUBLISH', base .. 'events', '')
return 'OK'
