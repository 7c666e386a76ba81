-- The held slots of a resource.
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local work = require('frame/work')
local heldSlots = {}

-- Of pools with more slots than these, the held ones are not looked for.
heldSlots.MAX_SEARCHED = 32

-- Returns the held slots of a resource, also those that it has from an earlier capacity. Of a pool with many slots,
-- none is looked at, and of the others, only those below a limit are.
function heldSlots.of(name)
  local STEP, slotNumber = 16, 0
  local own = registry.definition(name)
  local found = { slotMap.recordAt(name) and name or nil }
  local left = own and own.pooled and own.capacity <= heldSlots.MAX_SEARCHED and pools.poolOf(name).held or 0
  while left > 0 and slotNumber < heldSlots.MAX_SEARCHED do
    local slots, size = {}, slotNumber < own.capacity and own.capacity or heldSlots.MAX_SEARCHED
    for i = slotNumber, math.min(slotNumber + STEP, size) - 1 do
      slots[#slots + 1] = name .. '_' .. i
    end
    slotNumber = slotNumber + #slots
    work.spend(1)
    slotMap.readSlots(slots)
    for _, slot in ipairs(slots) do
      local record = slotMap.recordAt(slot)
      if record and record.pool == name then
        left = left - 1
        found[#found + 1] = slot
      end
    end
  end
  return found
end

return heldSlots
