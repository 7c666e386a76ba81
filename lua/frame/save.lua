-- The flags of the tenant's hash (frame/tenant.lua) that scripts change.
local hotField = require('frame/hot')
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local tenantRecord = {}
tenantRecord.HAS_LABELS, tenantRecord.HAS_CLOSING, tenantRecord.HAS_BEATS = 1, 2, 4
tenantRecord.HAS_QUEUE, tenantRecord.HAS_SESSIONS = 8, 16

-- Sets or clears a flag. saveTenant() writes it.
function tenantRecord.setFlag(flag, isSet)
  local flags = tenant.stored[hotField.FLAGS]
  if (flags % (2 * flag) >= flag) ~= isSet then
    tenant.stored[hotField.FLAGS] = flags + (isSet and flag or -flag)
  end
end

-- Writes the tenant's hash (frame/tenant.lua).

-- Writes tenant.stored if it has changed, with the usage to charge (limits/quota.lua; nil none), and other fields of
-- the hash: field, value, ...
function tenantRecord.saveTenant(fields, usage)
  local stored = tenant.stored
  if usage then
    stored[hotField.MINUTE_START], stored[hotField.MINUTE], stored[hotField.DAY], stored[hotField.TODAY] = unpack(usage)
  end
  local hot = hotField.packHot(unpack(stored))
  if hot ~= tenant.hot then
    fields[#fields + 1], fields[#fields + 2] = 'hot', hot
    tenant.hot = hot
  end
  if #fields > 0 then
    redis.call('HSET', keys.tenant, unpack(fields))
  end
end

return tenantRecord
