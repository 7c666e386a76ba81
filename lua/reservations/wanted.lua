-- The labels that a match wants of a resource (docs/specification.md#any-resource-that-fits). Fields:
--   groups    the wanted labels by key: arrays of '<key>=<value>', of which one must be there
--   unwanted  array of '<key>=<value>', none of which may be there
--   prefix    how the name must begin, '' any
--   count     the number of slots
local naming = require('definitions/names')
local registry = require('definitions/definitions')
local wanted = {}

-- Reads a match: lines '<key>=<value>', and '<key>!=<value>' for what is not wanted. Takes the prefix of the key, nil
-- none, and the number of slots, nil or '' one.
function wanted.by(match, prefix, count)
  local all, byKey = { groups = {}, unwanted = {}, prefix = prefix or '', count = tonumber(count) or 1 }, {}
  for label in string.gmatch(match, '[^\n]+') do
    local key, value = string.match(label, '^([^=]*)(=.*)$')
    if string.sub(key, -1) == '!' then
      table.insert(all.unwanted, string.sub(key, 1, -2) .. value)
    else
      if not byKey[key] then
        byKey[key] = {}
        all.groups[#all.groups + 1] = byKey[key]
      end
      table.insert(byKey[key], label)
    end
  end
  return all
end

-- Returns true if one of some labels is among the labels of a resource, each with a line break before and behind it.
local function hasOneOf(labels, some)
  for _, label in ipairs(some) do
    if string.find(labels, '\n' .. label .. '\n', 1, true) then
      return true
    end
  end
  return false
end

-- Returns true if a resource has the wanted labels, and as many slots.
function wanted.fits(want, name)
  local own = registry.definition(name)
  if not own or own.isGroup or not own.hasLabels or own.capacity < want.count or
    string.sub(name, 1, #want.prefix) ~= want.prefix then
    return false
  end
  local labels = '\n' .. table.concat(naming.labelsOf(name), '\n') .. '\n'
  for _, group in ipairs(want.groups) do
    if not hasOneOf(labels, group) then
      return false
    end
  end
  return not hasOneOf(labels, want.unwanted)
end

return wanted
