-- The labels of resources.
--@include definitions
--@include splitLines

-- Returns the labels of a resource, a sorted array of '<key>=<value>'.
local function labelsOf(name)
  local one = definition(name)
  if not one or not one.hasLabels then
    return {}
  end
  if not one.labels then
    local text = redis.call('HGET', definitionsKey, '\4' .. name) or ''
    one.labels = splitLines(text)
    spend(2 + #one.labels / 4 + #text / 200)
  end
  return one.labels
end
