--[[
  Stores a tenant's record: tier, settings and keys. It replaces all keys. Reservations stay as they are; streams end if
  their keys are gone. A newer record stays.

  KEYS[1]  tenant
  KEYS[2]  copying
  KEYS[3]  used

  ARGV[1]  version of the record; '' puts it in place whatever is there
  ARGV[2]  version of the definitions, which have been copied here under the lease below; '' if only the record changed:
           an unloaded tenant is then skipped, and a copy in progress is cancelled so that it restarts
  ARGV[3]  the lease of that copy; '' none is needed
  ARGV[4]  tier
  ARGV[5]  1: it is suspended; 0
  ARGV[6]  1: only registered resources may be reserved; 0
  ARGV[7]  the first of two for each key: its SHA-256, its label ('' none)

  Returns 'OK', or 'LOST' if the copy's lease is not held any more: nothing was done.
]]
local tenant = redis.call('HMGET', tenantKey, 'tier', 'version')
if ARGV[3] ~= '' then
  if redis.call('GET', copyingKey) ~= ARGV[3] then
    return 'LOST'
  end
  redis.call('DEL', copyingKey)
elseif ARGV[2] == '' and not tenant[1] then
  redis.call('DEL', copyingKey)
  return 'OK'
end
if ARGV[2] ~= '' then
  redis.call('HSET', tenantKey, 'definitionsVersion', ARGV[2])
end
if ARGV[1] ~= '' and tenant[2] and tonumber(tenant[2]) > tonumber(ARGV[1]) then
  return 'OK'
end
-- Each tier has windows of its own.
if tenant[1] ~= ARGV[4] then
  redis.call('HDEL', tenantKey, 'usage')
end
redis.call(
  'HSET', tenantKey,
  'version', ARGV[1] == '' and 0 or ARGV[1], 'tier', ARGV[4], 'suspended', ARGV[5], 'requireRegistration', ARGV[6]
)
local kept = {}
for i = 7, #ARGV, 1000 do
  local fields = { unpack(ARGV, i, math.min(i + 999, #ARGV)) }
  for j = 1, #fields, 2 do
    kept[fields[j]] = true
    fields[j] = 'key:' .. fields[j]
  end
  redis.call('HSET', tenantKey, unpack(fields))
end
for _, field in ipairs(redis.call('HKEYS', tenantKey)) do
  local digest = string.sub(field, 1, 4) == 'key:' and string.sub(field, 5)
  if digest and not kept[digest] then
    redis.call('HDEL', tenantKey, field)
    redis.call('HDEL', usedKey, digest)
  end
end
-- Tells instances to look whether the keys of the streams they hold are still valid.
redis.call('SPUBLISH', string.sub(tenantKey, 1, -7) .. 'events', '')
return 'OK'
