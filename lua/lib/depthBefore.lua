-- The depth of resources before this request changed their definitions.
--@include redefine

-- Returns the number of ancestors that a name had before this request.
local function depthBefore(name)
  local depth = 0
  local one = redefined[name]
  while one and one.parent ~= '' do
    depth = depth + 1
    local above = one.parent
    one = redefined[above]
    if one == nil then
      one = definition(above)
    end
  end
  return depth
end
