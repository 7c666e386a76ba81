-- Writes the tenant's hash (frame/tenant.lua).
local hot = require('frame/hot')
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local tenantRecord = {}
-- The flags that scripts change.
tenantRecord.HAS_LABELS, tenantRecord.HAS_CLOSING, tenantRecord.HAS_BEATS = 1, 2, 4
tenantRecord.HAS_QUEUE, tenantRecord.HAS_SESSIONS = 8, 16

-- Sets or clears a flag. saveTenant() writes it.
function tenantRecord.setFlag(flag, isSet)
  local flags = tenant.flags
  if (flags % (2 * flag) >= flag) ~= isSet then
    tenant.flags = flags + (isSet and flag or -flag)
  end
end

-- Returns a time or number as the packed field has it.
local function finite(value)
  return value < hot.NEVER and value or hot.NEVER
end

-- Writes the numbers of the tenant if they have changed, and other fields of the hash: field, value, ...
function tenantRecord.saveTenant(fields)
  local before, packed = tenant.hot, hot.packHot(
    tenant.tierNumber, tenant.flags, tenant.definitions, tenant.minuteStart, tenant.minute, tenant.day, tenant.today,
    tenant.fence, tenant.count, tenant.further, finite(tenant.nextDue), finite(tenant.indexed), tenant.listenUntil,
    tenant.messages, finite(tenant.bytes), tenant.publisher
  )
  tenant.hot = packed
  if not fields or not fields[1] then
    if packed ~= before then
      redis.call('HSET', keys.tenant, 'hot', packed)
    end
    return
  end
  if packed ~= before then
    fields[#fields + 1], fields[#fields + 2] = 'hot', packed
  end
  redis.call('HSET', keys.tenant, unpack(fields))
end

-- Writes what the tenant keeps, in bytes, and other fields. The call's other changes are not written yet.
function tenantRecord.saveBytes(total, fields)
  local changed = {}
  for field, value in pairs(tenant) do
    changed[field] = value
  end
  tenant.undoNumbers()
  tenant.bytes = total
  tenantRecord.saveTenant(fields)
  changed.bytes, changed.hot = total, tenant.hot
  for field, value in pairs(changed) do
    tenant[field] = value
  end
end

return tenantRecord
