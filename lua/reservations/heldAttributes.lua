-- Tells the requester of a reservation the attributes that come with it (docs/specification.md#attributes), as they are
-- now. Nothing else of a reservation has them: neither its record, nor what is derived from that.
local attributes = require('definitions/attributes')
local flags = require('frame/call').flags
local ownership = require('reservations/owners')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local work = require('frame/work')
local heldAttributes = {}

-- Returns the number of a slot of a resource; one that the resource does not have, if the slot is none of its slots.
local function numberOf(resource, slot)
  if slot == resource then
    return registry.definition(resource).capacity == 1 and 0 or attributes.MAX_SLOTS
  end
  local _, slotNumber = pools.slotNumber(slot)
  return slotNumber or attributes.MAX_SLOTS
end

-- Returns the numbers of a reservation's slots of a resource, in the order in which its result lists them.
local function numbersOf(reservation, resource, slot)
  local several = string.find(reservation.details, '"o":', 1, true) and cjson.decode(reservation.details).o
  local numbers = {}
  for i, one in ipairs(several or { slot }) do
    numbers[i] = numberOf(resource, one)
  end
  work.spend(#numbers / 4 + #reservation.details / 100)
  return numbers
end

-- Adds attributes to the reply that tells a requester of its reservation, if it has any: the set of the resource
-- itself, '' none, as the ninth field, and those of its slots behind it. A dry run holds nothing.
function heldAttributes.tell(reply, reservation)
  local resource, slot = ownership.heldBy(reservation)
  local one = resource and registry.definition(resource)
  if not one or not one.hasAttributes or flags.isDry then
    return reply
  end
  local all = attributes.of(resource)
  reply[7], reply[8], reply[9] = reply[7] or '', reply[8] or '', all.own
  attributes.spendOn(2 * #all.own)
  if all.count > 0 then
    for i, set in ipairs(attributes.slotsAt(resource, numbersOf(reservation, resource, slot))) do
      reply[9 + i] = set
    end
  end
  return reply
end

return heldAttributes
