-- The resources that a search for a match has found free, and booked too early
-- (docs/specification.md#leases-end-in-time). If nothing else can be had, the one whose booking begins last is taken
-- with a lease that is cut, if the item allows that. The list `booked` of a search (reservations/search.lua) has
-- {name, from}: the latest end that would do, in ms.
local isoTime = require('frame/isoTime')
local matches = {}

-- Notes a resource, and the reply that refused it, if that was because of bookings.
function matches.note(search, name, reply)
  if reply.bookedFrom then
    search.booked[#search.booked + 1] = { name = name, from = reply.bookedFrom }
  end
end

-- Returns the place of the one that is booked last, the first of equals; nil if there is none.
local function lastOf(search)
  local last
  for i, one in ipairs(search.booked) do
    if not last or one.from > search.booked[last].from then
      last = i
    end
  end
  return last
end

-- Takes the one that is booked last. Takes a function that tries to reserve a resource, and returns as reserveOne() in
-- reservations/match.lua. Returns reply, reservation and name; nil if none can be had.
function matches.pick(search, try)
  local last = lastOf(search)
  while last do
    local name = search.booked[last].name
    local reply, reservation = try(name)
    if reservation then
      return reply, reservation, name
    elseif reply.bookedFrom then
      return nil
    end
    -- An item before has taken it.
    table.remove(search.booked, last)
    last = lastOf(search)
  end
end

-- Returns the reply to an item that cannot have any of them; nil if there is none.
function matches.refusal(search)
  local last = lastOf(search)
  local from = last and search.booked[last].from
  return from and { 'NOT_AVAILABLE', 'NOT_AVAILABLE: booked from ' .. isoTime.of(from), bookedFrom = from }
end

return matches
