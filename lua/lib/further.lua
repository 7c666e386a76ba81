--@rare
-- Writes the further fields of a reservation (codec.lua).

-- Returns a reservation's details with its further fields in front. Takes the details without them, '' none, and a
-- table of the fields.
local function withFurther(details, fields)
  if next(fields) == nil then
    return details
  end
  return '{"x":' .. cjson.encode(fields) .. (#details > 2 and ',' .. string.sub(details, 2) or '}')
end
