-- Reads in one command the definitions that names may refer to.
local itemForms = require('frame/items')
local naming = require('definitions/names')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local batch = {}

-- Reads the definitions that names may refer to, all at once. Takes an array.
function batch.readMeanings(names)
  if tenant.definitions == 0 then
    return
  end
  local wanted = {}
  for _, name in ipairs(names) do
    work.spend(0.5 + #name / 200)
    wanted[#wanted + 1] = name
    wanted[#wanted + 1] = (pools.slotIndex(name))
    wanted[#wanted + 1] = naming.lastSegment(name) or nil
  end
  registry.readDefinitions(wanted)
end

-- Runs the items of a request one by one, under the work budget.

-- Reads the definitions and slots that all items name, in few commands, then calls carryOut(item) for each item, in
-- order. Takes the prefix of an item's place in messages (nil or 'requests') and a share of the budget. Returns nil; or
-- the place of the item that exceeded the budget, for the message. Then nothing may be committed.
function batch.eachItem(items, carryOut, prefix, share)
  local place = 0
  local isOver = work.isOverBudget(function()
    local names = {}
    for i, item in ipairs(items) do
      names[i] = item.resource
    end
    batch.readMeanings(names)
    for _, item in ipairs(items) do
      if item.options and itemForms.isSharedItem(item) then
        names[#names + 1] = shared.shareOf(item.resource, item.requester)
      end
    end
    slotMap.readSlots(names)
    for i, item in ipairs(items) do
      place = i - 1
      carryOut(item)
    end
  end, share)
  return isOver and (prefix or '') .. '[' .. place .. '].resource' or nil
end

return batch
