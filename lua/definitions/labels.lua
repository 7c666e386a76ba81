-- Reads the labels of resources (docs/specification.md#labels).
local itemForms = require('frame/items')
local keys = require('frame/keys')
local registry = require('definitions/definitions')
local work = require('frame/work')
local labelling = {}
-- What resources without labels have. It is never changed.
local NONE = {}

-- Returns the labels of a resource, a sorted array of '<key>=<value>'.
function labelling.labelsOf(name)
  local one = registry.definition(name)
  if not one or not one.hasLabels then
    return NONE
  end
  if not one.labels then
    local text = redis.call('HGET', keys.definitions, '\4' .. name) or ''
    one.labels = itemForms.splitLines(text)
    work.spend(2 + #one.labels / 4 + #text / 200)
  end
  return one.labels
end

return labelling
