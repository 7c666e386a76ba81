-- The rules of bookable resources (docs/specification.md#bookings): they have no blockers, nothing below them, and no
-- ancestors but groups. While they have bookings, they stay bookable, and keep the slots that are booked.
local clock = require('frame/clock')
local keys = require('frame/keys')
local lists = require('bookings/lists')
local naming = require('definitions/names')
local redefining = require('definitions/redefine')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local work = require('frame/work')
local bookable = {}

-- Each of these takes a request (verbs/register.lua) and a name that it defines. It returns the field of the item that
-- is wrong, and why; nil if it passes.

-- Of a name that is bookable.
local function whyNotBookable(request, name)
  local one, before = registry.definition(name), redefining.redefined[name]
  if one.hasBlockers then
    return 'blocks', 'must be empty: ' .. name .. ' is bookable'
  end
  for _, above in ipairs(request.pathOf[name]) do
    if not registry.definition(above).isGroup then
      return 'treePath', 'must name groups only: ' .. name .. ' is bookable, and ' .. above .. ' is no group'
    end
  end
  if before and not before.isBookable then
    local below, looked = naming.levelBelow({ name }, 0)
    if #below > 0 or looked > naming.MAX_LOOKED then
      return 'bookable', 'must be false: ' .. name .. ' has resources below it'
    end
  end
end

-- Returns a bookable resource below another one; nil if there is none; '' if too many are below it to tell.
local function bookableBelow(name)
  local level, looked = { name }, 0
  while #level > 0 do
    level, looked = naming.levelBelow(level, looked)
    for _, below in ipairs(level) do
      if registry.definition(below).isBookable then
        return below
      end
    end
    if looked > naming.MAX_LOOKED then
      return ''
    end
  end
end

-- Of a name that is no group, or is below one that is none. Only if that is new, something bookable can be below it.
local function whyNotAbove(name)
  local one, before = registry.definition(name), redefining.redefined[name]
  if not before then
    return nil
  end
  local isOpened = before.isGroup and not one.isGroup
  local found = (isOpened or before.parent ~= one.parent) and bookableBelow(name)
  local field = isOpened and 'group' or 'treePath'
  if found == '' then
    return field, 'must not make more than ' .. naming.MAX_LOOKED .. ' resources below ' .. name ..
      ' have an ancestor that is no group: some may be bookable'
  elseif found then
    return field, (isOpened and 'must be true: ' or 'must name groups only: ') .. found .. ' below ' .. name ..
      ' is bookable'
  end
end

-- Returns true if a change of capacity removes slots. The only slot of a resource has the name of the resource, unlike
-- those of a pool.
local function removesSlots(before, capacity)
  return capacity < before or before == 1 and capacity > 1
end

-- Returns true if a change of capacity would remove a booked slot.
local function isAnyRemoved(name, before, capacity)
  if not removesSlots(before, capacity) then
    return false
  elseif before == 1 then
    return lists.isAnyOf(name)
  end
  return lists.isAnyFrom(name, capacity == 1 and 0 or capacity)
end

-- Of a name that was bookable before.
local function whyBooked(name)
  local one, before = registry.definition(name), redefining.redefined[name]
  if not one.isBookable and lists.isAnyOf(name) then
    return one.isGroup and 'group' or 'bookable', 'must be ' .. (one.isGroup and 'false: ' or 'true: ') .. name ..
      ' has bookings'
  elseif one.isBookable and isAnyRemoved(name, before.capacity, one.capacity) then
    return 'capacity', 'must keep the slots of ' .. name .. ' that have bookings'
  end
end

-- Of a name, if there are bookable resources.
local function whyNotOne(request, name)
  local one, before = registry.definition(name), redefining.redefined[name]
  -- The database already has a change that is applied.
  if before and before.isBookable and request.phase ~= 'apply' then
    local field, text = whyBooked(name)
    if field then
      return field, text
    end
  end
  local isOpen = not one.isGroup
  for _, above in ipairs(request.pathOf[name]) do
    work.spend(0.3)
    local over = registry.definition(above)
    if over.isBookable then
      return 'treePath', 'must not name ' .. above .. ', which is bookable'
    end
    isOpen = isOpen or not over.isGroup
  end
  if one.isBookable then
    return whyNotBookable(request, name)
  elseif isOpen then
    return whyNotAbove(name)
  end
end

-- Returns true if there are bookable resources, those of a request included.
local function areAny(request)
  for _, name in ipairs(request.names) do
    if registry.definition(name).isBookable then
      return true
    end
  end
  return naming.isAnyBookable()
end

-- Returns the name, its field and why, if a request would break a rule; nil if it keeps them. Its paths were checked.
function bookable.whyNot(request)
  for _, name in ipairs(areAny(request) and request.names or {}) do
    request.current = name
    local field, text = whyNotOne(request, name)
    if field then
      return name, field, text
    end
  end
end

-- Returns true if a request removes slots that can be booked.
local function isNarrowing(request)
  for _, name in ipairs(request.names) do
    local one, before = registry.definition(name), redefining.redefined[name]
    if before and before.isBookable and (not one.isBookable or removesSlots(before.capacity, one.capacity)) then
      return true
    end
  end
  return false
end

-- Notes that a request is planned, or applied, once all its changes are written. Until a plan that removes slots is
-- applied, or so many ms are over, nothing is booked: it might be of such a slot.
function bookable.note(request, closeMs)
  if not isNarrowing(request) then
    return
  elseif request.isInForce then
    redis.call('HDEL', keys.tenant, 'narrowing')
  else
    tenant.save({ 'narrowing', string.format('%.0f', clock.nowMs() + closeMs) })
  end
end

-- Returns the reply that refuses to book while slots may be about to be removed; nil if none are.
function bookable.whyClosed()
  work.spend(1)
  local untilMs = redis.call('HGET', keys.tenant, 'narrowing')
  return untilMs and tonumber(untilMs) > clock.nowMs() and { 'CHANGING' } or nil
end

return bookable
