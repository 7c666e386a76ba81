-- Holds a key with a prefix to the names that start with it (docs/specification.md#restricted-keys). Only its requests
-- make these functions. Two of them are fields of the table of the tenant, which no other requests have:
--   mayChange(name)      returns true if the key may change a resource
--   mayChangeAll(items)  returns true if it may change all that the items of a request name

-- A path means the resource that its last name is, so that must start with the prefix too.
tenant.mayChange = function(name)
  local prefix = tenant.prefix
  return string.sub(name, 1, #prefix) == prefix and string.sub(string.match(name, '[^>]*$'), 1, #prefix) == prefix
end

-- Returns the field of an item that names what the key may not change; nil if there is none. A match means any names.
local function foreignField(item)
  if item.options and item.options.match then
    return 'match'
  end
  for _, field in ipairs({ 'resource', 'name', 'blocks', 'treePath' }) do
    for name in string.gmatch(item[field] or '', '[^\n]+') do
      if not tenant.mayChange(name) then
        return field
      end
    end
  end
end

tenant.mayChangeAll = function(items)
  for _, item in ipairs(items) do
    if foreignField(item) then
      return false
    end
  end
  return true
end

-- Returns why a request is refused, nil if it is not. Takes its items, nil if it changes all names, and the prefix of
-- their places in messages, nil for none.
local function whyForeign(items, place)
  if not items then
    return 'This changes all names, and this key may only change those that start with "' .. tenant.prefix .. '".'
  end
  for i, item in ipairs(items) do
    local field = foreignField(item)
    if field then
      local rule = field == 'match' and ' must be a resource whose name starts with ' or ' must start with '
      return (place or '') .. '[' .. i - 1 .. '].' .. field .. rule .. '"' .. tenant.prefix ..
        '": this key may change no other names.'
    end
  end
end
