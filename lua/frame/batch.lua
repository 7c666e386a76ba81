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

-- Reads the definitions and slots that items name, in few commands.
local function readAll(items)
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
end

-- The place, from 0, of the item that is being carried out.
local place

local function runAll(items, carryOut, request)
  readAll(items)
  for i, item in ipairs(items) do
    place = i - 1
    carryOut(item, request)
  end
end

-- Runs the items of a request one by one, under the work budget: reads what they name, then calls
-- carryOut(item, request) for each, in order. Takes a share of the budget (nil: all). Returns nil; or the reply that
-- refuses the request, if it exceeds the budget. Then nothing may be committed.
function batch.eachItem(request, carryOut, share)
  place = 0
  if work.isOverBudget(runAll, share, request.items, carryOut, request) then
    return work.tooMuch((request.verb.place or '') .. '[' .. place .. '].resource')
  end
end

return batch
