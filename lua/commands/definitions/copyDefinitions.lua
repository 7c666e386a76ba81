--[[
  Copies one chunk of the tenant's definitions from the database. Held slots do not stop it. The caller copies ancestors
  before their children, and removes children before their ancestors.

  KEYS[1]  tenant
  KEYS[2]  slots
  KEYS[3]  due
  KEYS[4]  pools
  KEYS[5]  definitions
  KEYS[6]  index
  KEYS[7]  history
  KEYS[8]  copying

  ARGV[1]  the lease of this copy
  ARGV[2]  ms: the lease is extended to this long from now
  ARGV[3]  the first definition (items/copy.lua)

  Returns 'OK'; or 'LOST', with nothing changed, if the caller no longer holds the lease.
]]
--@include readDefinitions
--@include items
--@include items/copy
--@include define
--@include splitLines
--@include commit
if redis.call('GET', copyingKey) ~= ARGV[1] then
  return 'LOST'
end
local items, names = readItems(3, copiedItem), {}
for i, item in ipairs(items) do
  names[i] = item.name
end
readDefinitions(names)
for _, item in ipairs(items) do
  local capacity = tonumber(item.capacity)
  if capacity > 0 then
    define(item.name, capacity, item.parent, splitLines(item.blocks), item.isGroup == '1', splitLines(item.labels))
    adoptSlots(item.name)
  else
    redefine(item.name, false)
  end
end
redis.call('PEXPIRE', copyingKey, ARGV[2])
if tenant.queueText then
  -- All tickets are planned again by the scripts that follow (queue.lua).
  redis.call('HSET', tenantKey, 'queue', (string.gsub(tenant.queueText, '%S+$', '.')))
end
commit()
commitDefinitions('')
return 'OK'
