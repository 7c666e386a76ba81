-- Gives the slots of a reservation that has ended the condition that follows from that
-- (docs/specification.md#condition). Its ancestors and blockers stay as they are.
local conditions = require('slots/conditions')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local terms = require('reservations/terms')
local afterUse = {}

-- Returns the resource of which a reservation has slots, and these slots; nil if it is of a plain name. Of those that
-- hold a slot SHARED, the last one counts: others have none.
local function slotsOf(reservation)
  if registry.isNothingDefined() then
    return nil
  end
  local slot, pool = reservation.slot, reservation.pool
  if shared.isShare(slot) then
    slot = string.match(reservation.plan, '^[^\n]+')
    -- A resource may have a name like that of a slot of another one.
    pool = not registry.definition(slot) and pools.slotNumber(slot) or ''
    if slotMap.recordAt(slot) then
      return nil
    end
  end
  local resource = pool ~= '' and registry.definition(pool) and pool or slot
  if not registry.definition(resource) then
    return nil
  end
  local several = string.find(reservation.details, '"o":', 1, true) and cjson.decode(reservation.details).o
  return resource, several or { slot }
end

-- Returns the condition that a slot gets; nil if it stays as it is. Takes the condition that its reservation asked for,
-- the one that the release says (nil none), and whether use makes it dirty.
local function conditionAfter(current, asked, said, isDirtied)
  if current == 'out' and asked ~= 'out' then
    return nil
  elseif asked == 'ready' and (said == nil or said == 'ready') then
    return isDirtied and current == 'ready' and 'dirty' or nil
  elseif asked == 'ready' and said == 'out' and not terms.mayHoldersReport() then
    return 'dirty'
  end
  return said
end

-- Returns true if a release that says a condition means a slot.
local function isMeant(report, slot)
  for _, one in ipairs(report and report.slots or {}) do
    if one == slot then
      return true
    end
  end
  return report ~= nil and report.slots == nil
end

-- Sets the condition of a slot of a reservation that has ended. `use` has what follow() takes, and the resource.
local function followSlot(use, slot)
  local said = isMeant(use.report, slot) and use.report or {}
  local asked = use.reservation.condition or 'ready'
  local current = conditions.at(use.resource, slot)
  local condition = conditionAfter(current, asked, said.condition, use.isDirtied)
  if condition then
    conditions.set(use.resource, slot, condition, said.condition ~= 'ready' and said.reason or nil, use.actor)
  end
end

-- Sets the conditions of the slots of a reservation that has ended. Takes what its release says (frame/items.lua), nil
-- if nothing, or if it ended in another way; who ended it, nil the service. Returns the worst condition that its slots
-- have now, nil if they are ready. A reservation that its own request has made is no use; nor is a grant that nobody
-- has claimed (reservations/release.lua).
function afterUse.follow(reservation, report, actor)
  local resource, slots = slotsOf(reservation)
  local own = resource and registry.definition(resource)
  if not own or not own.hasConditions and not report then
    return nil
  end
  local use = {
    reservation = reservation, report = report, actor = actor, resource = resource,
    isDirtied = own.isDirtied and reservation.packed ~= nil,
  }
  if #slots > 1 then
    conditions.readDetails(resource, slots)
  end
  local worst
  for _, slot in ipairs(slots) do
    if conditions.isSlot(resource, slot) then
      followSlot(use, slot)
      local now = conditions.at(resource, slot)
      worst = now == 'out' and now or worst or now == 'dirty' and now or nil
    end
  end
  return worst
end

return afterUse
