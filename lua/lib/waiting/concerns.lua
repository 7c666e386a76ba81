-- Opens the queue for calls that touch a resource somebody waits for.
--@include clock
--@include slots
--@include work
-- noLine[name]: true if no stored ticket's plan has the resource or slot, and none waits for it.
local noLine = {}

-- Returns true if no stored ticket's plan has a resource or slot, and none waits for it.
local function hasNoLine(name)
  local is = noLine[name]
  if is == nil then
    spend(3)
    is = redis.call('ZRANGE', linesKey, '[' .. name .. '\n', '(' .. name .. '\11', 'BYLEX', 'LIMIT', 0, 1)[1] == nil
    noLine[name] = is
  end
  return is
end

-- Opens the queue if a ticket has to do with a resource or slot.
tenant.openFor = function(name)
  if not tenant.queue and not hasNoLine(name) then
    tenant.openQueue()
  end
end

-- Opens the queue if this script changed a slot that tickets have to do with.
tenant.openForChanges = function()
  for _, slot in ipairs(changed) do
    local before, record = original[slot], records[slot]
    local pool = record and record.pool or before and before.pool or ''
    if not record or not before or record.owner ~= before.owner then
      tenant.openFor(slot)
      if pool ~= '' then
        tenant.openFor(pool)
      end
    end
    if tenant.queue then
      return
    end
  end
end

-- Returns ms until something of the tenant is due; -1 if nothing is.
tenant.dueInMs = function()
  local due = math.min(tenant.nextDue, tenant.queueState.nextDue)
  return due == math.huge and -1 or math.max(0, math.ceil(due - nowMs))
end
