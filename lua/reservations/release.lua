-- Ends reservations (docs/specification.md#release): frees the slots that no other reservation holds. Field: freed, the
-- slots that became free in this call, in order.
local codec = require('slots/codec')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local releasing = {}

-- Writes a line to Redis's log about an inconsistency that was found and repaired.
function releasing.report(what)
  redis.log(redis.LOG_WARNING, 'Holdfast mended tenant ' .. tenant.base .. ' ' .. what)
end

-- Removes one reference to a slot, which a reservation of the requester had. Removing the last one frees it.
local function releaseHold(slot, requester)
  local record = slotMap.recordAt(slot)
  if not record then
    releasing.report('slot ' .. slot .. ': a plan named it, and it was free')
  elseif record.refCount > 1 then
    local holders = record.holders
    if holders then
      local from, to = string.find('\n' .. holders, '\n' .. requester .. '\n', 1, true)
      holders = from and string.sub(holders, 1, from - 1) .. string.sub(holders, to) or holders
    end
    slotMap.setRecord(slot, codec.copyWith(record, { refCount = record.refCount - 1, holders = holders }))
  else
    slotMap.setRecord(slot, false)
    releasing.freed[#releasing.freed + 1] = slot
  end
end

-- Ends a reservation and releases the slots of its recorded plan. Adds the slots that become free to `freed`, its own
-- first.
function releasing.release(reservation)
  local slot = reservation.slot
  if shared.isShare(slot) then
    slotMap.setRecord(slot, false)
  elseif reservation.refCount > 1 then
    -- Plans of other reservations hold the slot too, so it stays held, without a reservation of its own.
    slotMap.setRecord(slot, {
      owner = reservation.owner, refCount = reservation.refCount - 1, pool = reservation.pool,
      byName = reservation.byName,
    })
  else
    releaseHold(slot, reservation.owner)
  end
  if reservation.plan ~= '' then
    local others = {}
    for other in string.gmatch(reservation.plan, '[^\n]+') do
      others[#others + 1] = other
    end
    slotMap.readSlots(others)
    for _, other in ipairs(others) do
      releaseHold(other, reservation.owner)
    end
  end
end

function releasing.begin()
  releasing.freed = {}
end

return releasing
