--@rare
-- Finds the blocker that keeps a resource from new requesters.
--@include budget
--@include conflicts
--@include plan

-- Returns the slot whose reservation holds a slot: its own, or that of the resource that takes it along.
local function slotOfHolder(slot)
  local MAX_STEPS = 8
  for _ = 1, MAX_STEPS do
    local record = recordAt(slot)
    local by = record and not record.token and string.match(record.owner, '^system:(.+)$')
    local own = by and definition(by)
    if not by or own and own.capacity > 1 then
      return slot
    end
    slot = by
  end
  return slot
end

-- Returns the first blocker in the plan of a resource that is not free for it; nil if there is none.
local function blockerIn(resource)
  local plan, single = { entries = {}, seen = {}, bytes = 0 }, {}
  addTo(plan, resource, nil, '', 'own')
  for _, entry in ipairs(plan.entries) do
    local own = not entry.slot and definition(entry.resource)
    if not (own and own.pooled) then
      single[#single + 1] = entry.slot or entry.resource
    end
  end
  readSlots(single)
  for _, entry in ipairs(plan.entries) do
    spend(1)
    if entry.role == 'blocker' and (entry.invalid or not slotFor(entry)) then
      return entry.slot or entry.resource
    end
  end
end

-- Returns the first blocker in the plan of a resource that is not free for it, and the slot whose reservation is in the
-- way (of a pool: its name, which nobody holds). Returns nil if there is none, or if finding it takes more than a share
-- of the work budget: a plan of some 50 entries fits.
local function firstBlocker(resource)
  local SHARE = 1 / 16
  local before, found = work, nil
  isOverBudget(function()
    found = blockerIn(resource)
  end, SHARE)
  work = work + before
  if found then
    return found, slotOfHolder(found)
  end
end
