--@rare
-- Returns the lines of a text, an array. Lists of names are passed and stored as one text.
local function splitLines(text)
  local found = {}
  for line in string.gmatch(text, '[^\n]+') do
    found[#found + 1] = line
  end
  return found
end
