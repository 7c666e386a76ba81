--@rare
-- The paths of registered resources.
--@include definitions
local paths = {}

-- Returns the path of a registered resource, its own name included, with '>' between.
local function pathOf(name)
  local path = paths[name]
  if not path then
    local parent = definition(name).parent
    path = parent ~= '' and definition(parent) and pathOf(parent) .. '>' .. name or name
    spend(0.5 + #path / 500)
    paths[name] = path
  end
  return path
end
