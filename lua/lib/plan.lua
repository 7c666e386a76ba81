--@rare
-- The plan of a reservation (docs/specification.md#plans): all slots that it needs.
--@include blockers
--@include meanings
--@include shared

-- Returns true if a plan has too many slots or bytes of names. Without a limit, blockers of blockers could multiply
-- without bound.
local MAX_ENTRIES, MAX_PLAN_BYTES = 500, 8192
local function isTooLong(plan)
  return #plan.entries > MAX_ENTRIES or plan.bytes > MAX_PLAN_BYTES
end

-- Adds the entries to a plan that reserving a resource, or one slot of it, needs: its ancestors from the root down,
-- without groups, then the resource itself, then the blockers of each of these that was not yet in the plan, with the
-- entries that each blocker needs. A plan {entries, seen, bytes} has each resource, or one slot of it, only once, even
-- for different owners. So resources that block each other exclude each other, and cycles end. `count` is the number of
-- slots of the resource itself if these are several, else nil. `isShared`: the resource itself is to be held SHARED.
local function addTo(plan, resource, slot, owner, role, count, isShared)
  local chain, own = { resource }, definition(resource)
  local above = own and own.parent or ''
  while above ~= '' and definition(above) do
    local node = definition(above)
    if not node.isGroup then
      chain[#chain + 1] = above
    end
    above = node.parent
  end
  spend(#chain)
  local added = {}
  for i = #chain, 1, -1 do
    local entry = { resource = chain[i], slot = i == 1 and slot or nil, owner = owner, role = role }
    if i > 1 and role == 'own' then
      entry.role = 'ancestor'
    elseif i == 1 and isShared then
      entry.owner, entry.isShared = sharedOwner(slot or resource), true
    end
    local key = entry.slot and '\n' .. entry.slot or entry.resource
    if not plan.seen[key] then
      spend(2)
      plan.seen[key] = true
      plan.bytes = plan.bytes + #key
      plan.entries[#plan.entries + 1] = entry
      added[#added + 1] = entry.resource
      entry.count = i == 1 and count or nil
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
      local meant = blocked and definition(blocked)
      if meant and meant.isGroup then
        plan.entries[#plan.entries + 1] = { resource = blocker, role = 'blocker', invalid = true, isGroup = true }
      elseif blocked then
        addTo(plan, blocked, blockedSlot, 'system:' .. name, 'blocker')
      else
        plan.entries[#plan.entries + 1] = { resource = blocker, role = 'blocker', invalid = true }
      end
    end
  end
end
