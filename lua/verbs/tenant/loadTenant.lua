--[[
  Stores a tenant's record: tier, settings and keys. Replaces all keys. Reservations do not change. A stream ends if its
  key is no longer there. A newer record is not overwritten.

  KEYS[1]  tenant
  KEYS[2]  copying
  KEYS[3]  used

  ARGV[1]  version of the record; '' overwrites any version
  ARGV[2]  version of the definitions, which were copied to Redis under the lease in ARGV[3]; '' if only the record
           changed: an unloaded tenant is then skipped, and a copy in progress is cancelled so that it restarts
  ARGV[3]  the lease of that copy; '' if none is needed
  ARGV[4]  tier
  ARGV[5]  1 if the tenant is suspended, else 0
  ARGV[6]  1 if only registered resources may be reserved, else 0
  ARGV[7]  the highest priority that requests may wait with: src/engine/tenant/maxPriority.ts reads it
  ARGV[8]  the settings for leases and notes (reservations/terms.lua), '' if none is set
  ARGV[9]  SHA-256 of the first key (that of a management token follows `management:`); its label ('' none) and its
           grant ('' none: frame/tenant.lua) follow, then the other keys likewise

  Returns 'OK'; or 'LOST', with nothing changed, if the caller no longer holds the lease of the copy.
]]
return function(keys, args)
  local tenant = redis.call('HMGET', keys.tenant, 'tier', 'version')
  if args[3] ~= '' then
    if redis.call('GET', keys.copying) ~= args[3] then
      return 'LOST'
    end
    redis.call('DEL', keys.copying)
  elseif args[2] == '' and not tenant[1] then
    redis.call('DEL', keys.copying)
    return 'OK'
  end
  if args[2] ~= '' then
    redis.call('HSET', keys.tenant, 'definitionsVersion', args[2])
  end
  if args[1] ~= '' and tenant[2] and tonumber(tenant[2]) > tonumber(args[1]) then
    return 'OK'
  end
  -- Windows of the quota belong to a tier, so a change of tier starts new ones.
  if tenant[1] ~= args[4] then
    redis.call('HDEL', keys.tenant, 'usage')
  end
  -- A change of settings may change what tickets may have: they are planned again by the next script
  -- (waiting/state.lua).
  local queueState = redis.call('HGET', keys.tenant, 'queue')
  if queueState then
    redis.call('HSET', keys.tenant, 'queue', (string.gsub(queueState, '%S+$', '.')))
  end
  redis.call(
    'HSET', keys.tenant,
    'version', args[1] == '' and 0 or args[1], 'tier', args[4], 'suspended', args[5], 'requireRegistration', args[6],
    'maxPriority', args[7], 'terms', args[8]
  )
  local kept = {}
  for i = 9, #args, 900 do
    local fields = {}
    for j = i, math.min(i + 899, #args), 3 do
      local digest, label, grant = args[j], args[j + 1], args[j + 2]
      fields[#fields + 1], fields[#fields + 2] = 'key:' .. digest, label
      kept['key:' .. digest] = true
      if grant ~= '' then
        fields[#fields + 1], fields[#fields + 2] = 'grant:' .. digest, grant
        kept['grant:' .. digest] = true
      end
    end
    redis.call('HSET', keys.tenant, unpack(fields))
  end
  for _, field in ipairs(redis.call('HKEYS', keys.tenant)) do
    local kind, digest = string.match(field, '^(%a+):(.*)$')
    if (kind == 'key' or kind == 'grant') and not kept[field] then
      redis.call('HDEL', keys.tenant, field)
      if kind == 'key' then
        redis.call('HDEL', keys.used, digest)
      end
    end
  end
  -- An empty message makes instances check whether the keys of their streams are still valid.
  redis.call('SPUBLISH', string.sub(keys.tenant, 1, -7) .. 'events', '')
  return 'OK'
end
