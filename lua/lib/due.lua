-- Members of the sorted set of due times. A member names a reservation, in one of two forms:
--   <slot>           the slot that the reservation stands on
--   <fence>\n<slot>  its fencing token, and the slot to find it on
-- This release reads both and writes the first. The next release writes the second, so that a slot can carry several
-- reservations: until then instances of the release before run beside this one, and drop the second as an orphan.
--@include slots

-- The member that is written for a reservation.
local function dueMember(reservation)
  return reservation.slot
end

-- The members of reservations in the coming form, which instances of the next release may have written.
local function comingDueMembers(reservations)
  local members = {}
  for i, one in ipairs(reservations) do
    members[i] = string.format('%d\n%s', one.fence, one.slot)
  end
  return members
end
