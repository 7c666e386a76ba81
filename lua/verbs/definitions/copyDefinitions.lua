--[[
  Copies one chunk of the tenant's definitions from the database. Held slots do not stop it. The caller copies ancestors
  before their children, and removes children before their ancestors.

  ARGV[1]  the lease of this copy
  ARGV[2]  ms: the lease is extended to this long from now
  ARGV[3]  the first definition (frame/items.lua)

  Returns 'OK'; or 'LOST', with nothing changed, if the caller no longer holds the lease.
]]
local committing = require('frame/commit')
local itemForms = require('frame/items')
local redefining = require('definitions/redefine')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')

return function(keys, args)
  if redis.call('GET', keys.copying) ~= args[1] then
    return 'LOST'
  end
  local items, names = itemForms.readItems(3, itemForms.copiedItem), {}
  for i, item in ipairs(items) do
    names[i] = item.name
  end
  registry.readDefinitions(names)
  for _, item in ipairs(items) do
    local capacity = tonumber(item.capacity)
    if capacity > 0 then
      local blocks, labels = itemForms.splitLines(item.blocks), itemForms.splitLines(item.labels)
      redefining.define(item.name, capacity, item.parent, blocks, item.isGroup == '1', labels)
      redefining.adoptSlots(item.name)
    else
      redefining.redefine(item.name, false)
    end
  end
  redis.call('PEXPIRE', keys.copying, args[2])
  if tenant.queueText then
    -- All tickets are planned again by the scripts that follow (queue.lua).
    redis.call('HSET', keys.tenant, 'queue', (string.gsub(tenant.queueText, '%S+$', '.')))
  end
  committing.commit()
  redefining.commitDefinitions('')
  return 'OK'
end
