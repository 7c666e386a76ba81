-- Opens the queue for calls that touch a resource somebody waits for.
--@include queue
--@include work

-- openQueue() makes the queue's functions (waiting/open.lua); nil if the tenant has no tickets and the call may not
-- wait.
local openQueue

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

-- Opens the queue if the tenant has tickets and one of them may have to do with a resource or slot.
local function openFor(name)
  if not queue and tenant.queue and not hasNoLine(name) then
    openQueue()
  end
end
