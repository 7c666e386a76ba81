-- What the database has not been told yet of bookings (docs/specification.md#where-bookings-live). The sorted set
-- `bookingChanges` has the id of each booking that has changed since it was copied, or that is over, with its revision
-- as score. Without a database there is none. A record has its revision in the field `rev`: it grows with each change
-- of the booking, in ms, so that of two copies the newer one is known, whatever has become of Redis since then.
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local keys = require('frame/keys')
local copies = {}

-- Notes a change of a booking in a list for write(), and gives its record the revision. Takes the id and the records
-- before and after; false: there is none. One that was restored is as the database has it.
function copies.note(list, id, before, after)
  local known = before and before.rev
  if not before and after and after.rev then
    return
  end
  local revision = math.max((known or 0) + 1, clock.nowMs())
  if after then
    after.rev = revision
  end
  copies.add(list, id, revision)
end

-- Adds a booking to a list for write().
function copies.add(list, id, revision)
  list[#list + 1], list[#list + 2] = string.format('%.0f', revision), id
end

-- Writes a list of changes, if there is a database: of tenants without one, the version is 0. One that Redis has lost
-- has no version until it is loaded.
function copies.write(list)
  if list[1] and redis.call('HGET', keys.tenant, 'version') ~= '0' then
    bytes.callWith('ZADD', keys.bookingChanges, list)
  end
end

return copies
