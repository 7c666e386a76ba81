-- Tries on paper whether a reserve would succeed now (docs/specification.md#check).
--@include isShare
--@include reservations
--@include reserveOne
--@include undo

-- Sets the sixth field of the results to '1' if a reserve would succeed, else to '0'. Takes an array of {result, name,
-- requester}; the requester '' is a new one, which holds nothing. Adds to them what refuses it: `line`, the name of the
-- line in which it would wait, nil if it never would be met; `role`, that of the entry (plan.lua) which lacks a slot
-- ('closing': it is being deleted), nil if the slot is free, and kept.
local function tryAll(toTry)
  -- The reserve would have the lease and the note that the tenant's settings ask for.
  tenant.whyNotAllowed = nil
  for _, one in ipairs(toTry) do
    local result, name, requester = one[1], one[2], one[3]
    local resource, slot = resolve(name)
    local had = requester ~= '' and reservationOn(resource, slot, requester)
    if had then
      -- An EXCLUSIVE reserve of what its requester holds SHARED would be refused.
      result[6] = isShare(had.slot) and '0' or '1'
    else
      local mark = #journal
      local reply, _, line = reserveOne({ resource = name, requester = requester, ttlMs = '', type = '', token = '' })
      result[6], one.line, one.role = reply[1] == 'ACQUIRED' and '1' or '0', line, reply.role
      undo(mark)
    end
  end
end
