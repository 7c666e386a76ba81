--@rare
-- Members of the sorted set of due times. A member names a reservation, in one of two forms:
--   <slot>           the reservation's own slot
--   <fence>\n<slot>  its fencing token and its own slot
-- This release reads both forms and writes the first. The next release writes the second, so that a slot can have
-- several reservations. This release cannot write it yet: the previous release may run beside it, and drops such
-- members as orphans.
--@include slots

-- Returns the members of reservations in the second form, which instances of the next release may have written.
local function comingDueMembers(reservations)
  local members = {}
  for i, one in ipairs(reservations) do
    members[i] = string.format('%d\n%s', one.fence, one.slot)
  end
  return members
end
