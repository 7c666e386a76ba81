-- The field `hot` of the tenant's hash: what changes often, and what every request needs, packed. lua/frame/tenant.lua
-- describes it; src/redis/layouts.ts reads it too.
local hot = {}
-- Its numbers, big-endian and unsigned, and the publisher, which ends with a zero byte. The numbers of the outbox
-- follow if there is one.
hot.FORM = '>BI2I4I7I4I4I4I7I4I4I7I7I7I6I7s'
-- The flag of tenants that have an outbox (events/outbox.lua).
hot.HAS_NOTICES = 256
local BOX = '>I4I4I7I7I4I7I4'
-- The flag of tenants that have bookings (bookings/records.lua).
hot.HAS_BOOKINGS = 512
-- No time and no number of bytes: infinite.
hot.NEVER = 9007199254740992

-- Returns true if flags say that there is an outbox.
function hot.hasNotices(flags)
  return flags % 512 >= 256
end

-- Returns the numbers, the publisher, and the place of what follows.
function hot.unpackHot(packed)
  return struct.unpack(hot.FORM, packed)
end

-- The table is the same for all calls: to make one costs more than to fill it.
local box = {}

-- Returns the numbers of the outbox, of a tenant that has one: a table. Takes their place.
function hot.unpackBox(packed, at)
  box.types, box.personTypes, box.from, box.to, box.entries, box.events, box.missed = struct.unpack(BOX, packed, at)
  return box
end

function hot.packBox(of)
  return struct.pack(BOX, of.types, of.personTypes, of.from, of.to, of.entries, of.events, of.missed)
end

-- Takes the numbers, the publisher, and the numbers of the outbox, nil if there is none.
function hot.packHot(
  tierNumber, flags, definitions, minuteStart, minute, day, today, fence, count, moreSlots, nextDue, dueIndexed,
  listenUntil, messages, bytes, publisher, ofBox
)
  local packed = struct.pack(
    hot.FORM, tierNumber, flags, definitions, minuteStart, minute, day, today, fence, count, moreSlots, nextDue,
    dueIndexed, listenUntil, messages, bytes, publisher
  )
  return ofBox and packed .. hot.packBox(ofBox) or packed
end

-- That of a tenant that has none yet.
hot.NONE = hot.packHot(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, hot.NEVER, hot.NEVER, 0, 0, hot.NEVER, '')

return hot
