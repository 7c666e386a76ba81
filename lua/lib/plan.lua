-- The plan of a reservation (docs/specification.md#plans): all slots that it needs.
--@include blockers
--@include meanings

-- Limits of one plan: slots, and bytes of names. Blockers of blockers can multiply without bound.
local MAX_ENTRIES, MAX_PLAN_BYTES = 500, 8192

local function isTooLong(plan)
  return #plan.entries > MAX_ENTRIES or plan.bytes > MAX_PLAN_BYTES
end

-- Adds an entry, unless its resource, or that very slot of it, is in the plan already. Returns true if it was added.
local function addEntry(plan, resource, slot, owner, role)
  local key = slot and '\n' .. slot or resource
  if plan.seen[key] then
    return false
  end
  spend(2)
  plan.seen[key] = true
  plan.bytes = plan.bytes + #key
  plan.entries[#plan.entries + 1] = { resource = resource, slot = slot, owner = owner, role = role }
  return true
end

-- Adds to a plan what a resource, or one slot of it, needs for an owner: its ancestors from the root down, itself, then
-- the blockers of each of these that was not in the plan before, each by a plan of its own. A plan {entries, seen,
-- bytes} takes each resource once, whoever its owner would be: so resources that block each other exclude each other,
-- and cycles end.
local function addTo(plan, resource, slot, owner, role)
  local chain, own = { resource }, definition(resource)
  local above = own and own.parent or ''
  while above ~= '' and definition(above) do
    chain[#chain + 1] = above
    above = definition(above).parent
  end
  spend(#chain)
  local added = {}
  for i = #chain, 1, -1 do
    local roleHere = i > 1 and role == 'own' and 'ancestor' or role
    if addEntry(plan, chain[i], i == 1 and slot or nil, owner, roleHere) then
      added[#added + 1] = chain[i]
    end
  end
  for _, name in ipairs(added) do
    local blockers = blockersOf(name)
    if #blockers > 1 then
      readMeanings(blockers)
    end
    for _, blocker in ipairs(blockers) do
      if isTooLong(plan) then
        return
      end
      spend(2)
      local blocked, blockedSlot = resolve(blocker, true)
      if blocked then
        addTo(plan, blocked, blockedSlot, 'system:' .. name, 'blocker')
      else
        plan.entries[#plan.entries + 1] = { resource = blocker, role = 'blocker', invalid = true }
      end
    end
  end
end
