--[[
  Stores a tenant's record: tier, settings and keys. Replaces all keys. Reservations do not change. A stream ends if its
  key is no longer there. A newer record is not overwritten.

  ARGV[1]  version of the record; '' overwrites any version
  ARGV[2]  version of the definitions, which were copied to Redis under the lease in ARGV[3]; '' if only the record
           changed: an unloaded tenant is then skipped, and a copy in progress is cancelled so that it restarts
  ARGV[3]  the lease of that copy; '' if none is needed
  ARGV[4]  tier
  ARGV[5]  1 if the tenant is suspended, else 0
  ARGV[6]  1 if only registered resources may be reserved, else 0
  ARGV[7]  the highest priority that requests may wait with: src/engine/tenant/record.ts reads it
  ARGV[8]  the settings for leases and notes (reservations/terms.lua), '' if none is set
  ARGV[9]  SHA-256 of the first key (that of a management token follows `management:`); its label ('' none) and its
           grant ('' none: frame/tenant.lua) follow, then the other keys likewise

  Returns 'OK'; or 'LOST', with nothing changed, if the caller no longer holds the lease of the copy.
]]
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')

local TIERS = { Free = 1, Starter = 2, Pro = 3, Enterprise = 4 }

-- Returns true if the caller no longer holds the lease of the copy. Otherwise the copy ends.
local function isLeaseLost(lease)
  if redis.call('GET', keys.copying) ~= lease then
    return true
  end
  redis.call('DEL', keys.copying)
end

-- Writes the keys, from an argument on. Returns their fields: field -> true.
local function writeKeys(args, first)
  local kept = {}
  for i = first, #args, 900 do
    local fields = {}
    for j = i, math.min(i + 899, #args), 3 do
      local field, label, grant = 'key:' .. args[j], args[j + 1], args[j + 2]
      fields[#fields + 1], fields[#fields + 2] = field, grant == '' and label or label .. '\n' .. grant
      kept[field] = true
    end
    redis.call('HSET', keys.tenant, unpack(fields))
  end
  return kept
end

local function removeOtherKeys(kept)
  for _, field in ipairs(redis.call('HKEYS', keys.tenant)) do
    local digest = string.match(field, '^key:(.*)$')
    if digest and not kept[field] then
      redis.call('HDEL', keys.tenant, field)
      redis.call('HDEL', keys.used, digest)
    end
  end
end

-- Writes the record. Takes the state of the queue.
local function write(args, queueState)
  local tier = TIERS[args[4]]
  -- Windows of the quota belong to a tier, so a change of tier starts new ones.
  if tenant.tierNumber ~= tier then
    tenant.tierNumber, tenant.minuteStart, tenant.minute, tenant.day, tenant.today = tier, 0, 0, 0, 0
  end
  -- The flags of the settings are the last three.
  tenant.flags = tenant.flags % 32 + (args[8] == '' and 0 or 32) + 64 * args[5] + 128 * args[6]
  -- A change of settings may change what tickets may have: they are planned again by the next call (waiting/state.lua).
  if queueState then
    redis.call('HSET', keys.tenant, 'queue', (string.gsub(queueState, '%S+$', '.')))
  end
  tenantRecord.saveTenant({ 'version', args[1] == '' and 0 or args[1], 'maxPriority', args[7], 'terms', args[8] })
  removeOtherKeys(writeKeys(args, 9))
  -- An empty message makes instances check whether the keys of their streams are still valid.
  redis.call('SPUBLISH', string.sub(keys.tenant, 1, -7) .. 'events', '')
end

return function(_, args)
  local version, queueState = redis.call('HGET', keys.tenant, 'version'), tenant.queueText
  if args[3] ~= '' then
    if isLeaseLost(args[3]) then
      return 'LOST'
    end
  elseif args[2] == '' and not tenant.tier then
    redis.call('DEL', keys.copying)
    return 'OK'
  end
  if args[2] ~= '' then
    redis.call('HSET', keys.tenant, 'definitionsVersion', args[2])
  end
  local isOld = args[1] ~= '' and version and tonumber(version) > tonumber(args[1])
  if not isOld then
    write(args, queueState)
  end
  return 'OK'
end
