-- The name of a line as callers see it.
--@include waiting/lines

-- Returns the name by which callers know what a line is for.
local function toldName(line)
  return string.sub(line, 1, 1) == MATCH and string.sub(line, 2) or line
end
