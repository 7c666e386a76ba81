-- Makes the plan of a reservation (docs/specification.md#plans): all slots that it needs. reservations/take.lua takes
-- them. A plan is a table:
--   entries  array of entries, in the order in which they are taken
--   seen     the resources and slots that it has: each only once, even for different owners. So resources that block
--            each other exclude each other, and cycles end. A plan of one entry needs none
--   bytes    length of their names
-- An entry is a table:
--   resource, slot  the resource; if it has to be one slot of it, that slot, else nil
--   owner           who will hold it: the requester, or system:<resource> for a blocker
--   role            own, ancestor or blocker
--   count           the number of its slots, if they are several, else nil
--   isShared        true if it is to be held SHARED
--   condition       of the resource itself: the condition that is asked for, nil ready. What a plan takes along has
--                   to be ready
--   invalid         true for a blocker that cannot be held; never: why, nil if it means no resource
--   closing         true once it was refused because the resource is being deleted
--   term            of a bookable resource that is to be reserved: how long it is needed (bookings/fits.lua); then
--                   cutTo, if the lease is cut, or bookedFrom, if it does not fit: ms; chosen: the slots of a pool
--   at, isNew       once it is taken: its slot, and whether nobody held that before; moreSlots: the others, of several
local naming = require('definitions/names')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local work = require('frame/work')
local planning = {}

-- Without a limit, blockers of blockers could multiply without bound.
planning.MAX_ENTRIES, planning.MAX_PLAN_BYTES = 500, 8192

-- Returns true if a plan has too many slots or bytes of names.
function planning.isTooLong(plan)
  return #plan.entries > planning.MAX_ENTRIES or plan.bytes > planning.MAX_PLAN_BYTES
end

-- Returns a plan without entries.
function planning.newPlan()
  return { entries = {}, seen = {}, bytes = 0 }
end

-- Returns the name by which a plan knows what an entry takes.
local function keyOf(entry)
  return entry.slot and '\n' .. entry.slot or entry.resource
end

-- Adds an entry, unless the plan has it.
local function addEntry(plan, entry)
  local key = keyOf(entry)
  if not plan.seen[key] then
    work.spend(2)
    plan.seen[key] = true
    plan.bytes = plan.bytes + #key
    plan.entries[#plan.entries + 1] = entry
  end
end

-- Adds the ancestors of a resource, from the root down, without groups.
local function addAncestors(plan, parent, owner, role)
  local one = parent ~= '' and registry.definition(parent)
  if one then
    addAncestors(plan, one.parent, owner, role)
    if not one.isGroup then
      work.spend(1)
      addEntry(plan, { resource = parent, owner = owner, role = role })
    end
  end
end

-- Adds what the blockers of a resource need. Returns false if the plan is too long for more.
local function addBlockers(plan, name)
  local blockers = naming.blockersOf(name)
  if #blockers > 1 then
    naming.readMeanings(blockers)
  end
  for _, blocker in ipairs(blockers) do
    if planning.isTooLong(plan) then
      return false
    end
    work.spend(2)
    local blocked, slot = naming.resolve(blocker, true)
    local meant = blocked and registry.definition(blocked)
    local never = meant and (meant.isGroup and 'is a group' or meant.isBookable and 'is bookable') or nil
    if blocked and not never then
      planning.addTo(plan, blocked, slot, 'system:' .. name, 'blocker')
    else
      plan.entries[#plan.entries + 1] = { resource = blocker, role = 'blocker', invalid = true, never = never }
    end
  end
  return true
end

-- Returns the entry of a resource that is to be reserved, or is a blocker.
function planning.newEntry(resource, slot, owner, role, count, isShared, condition)
  return {
    resource = resource, slot = slot, owner = isShared and shared.sharedOwner(slot or resource) or owner, role = role,
    count = count, isShared = isShared and true or nil, condition = condition,
  }
end

-- Adds the entries to a plan that reserving a resource, or one slot of it, needs: its ancestors from the root down,
-- without groups, then the resource itself, then the blockers of each of these that was not yet in the plan, with the
-- entries that each blocker needs. `count` is the number of slots of the resource itself if these are several, else
-- nil. `isShared`: the resource itself is to be held SHARED. `condition`: the condition that its slots must have, nil
-- ready.
function planning.addTo(plan, resource, slot, owner, role, count, isShared, condition)
  local own, first = registry.definition(resource), #plan.entries + 1
  if own and own.parent ~= '' then
    addAncestors(plan, own.parent, owner, role == 'own' and 'ancestor' or role)
  end
  work.spend(1)
  addEntry(plan, planning.newEntry(resource, slot, owner, role, count, isShared, condition))
  for at = first, #plan.entries do
    if not addBlockers(plan, plan.entries[at].resource) then
      return
    end
  end
end

-- Returns true if a registered resource needs no other slots than its own.
function planning.isAlone(own)
  return own.parent == '' and not own.hasBlockers
end

-- Returns the plan of a reservation. Takes what addTo() takes.
function planning.planOf(resource, slot, owner, count, isShared, condition)
  local own = registry.definition(resource)
  if own and not planning.isAlone(own) then
    local plan = planning.newPlan()
    planning.addTo(plan, resource, slot, owner, 'own', count, isShared, condition)
    return plan
  end
  local entry = planning.newEntry(resource, slot, owner, 'own', count, isShared, condition)
  work.spend(3)
  return { entries = { entry }, bytes = #keyOf(entry) }
end

return planning
