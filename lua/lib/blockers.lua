--@rare
-- The blockers of resources.
--@include definitions
--@include splitLines

-- Returns the blockers that a resource declares, an array of names.
local function blockersOf(name)
  local one = definition(name)
  if not one or not one.hasBlockers then
    return {}
  end
  if not one.blocks then
    local text = redis.call('HGET', definitionsKey, '\1' .. name) or ''
    one.blocks = splitLines(text)
    spend(2 + #one.blocks / 4 + #text / 200)
  end
  return one.blocks
end
