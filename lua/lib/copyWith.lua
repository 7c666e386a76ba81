-- Returns a copy of a record with some of its fields replaced.
local function copyWith(record, fields)
  local copy = {}
  for name, value in pairs(record) do
    copy[name] = value
  end
  for name, value in pairs(fields) do
    copy[name] = value
  end
  return copy
end
