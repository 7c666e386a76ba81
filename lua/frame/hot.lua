-- The field `hot` of the tenant's hash: what changes often, and what every request needs, packed. lua/frame/tenant.lua
-- describes it; src/redis/layouts.ts reads it too.
local hot = {}
-- Its numbers, big-endian and unsigned. The publisher follows them.
hot.FORM = '>BBI4I7I4I4I4I7I4I4I7I7I7I6I7'
-- No time and no number of bytes: infinite.
hot.NEVER = 9007199254740992

-- Returns the numbers, and the place of the publisher.
function hot.unpackHot(packed)
  return struct.unpack(hot.FORM, packed)
end

-- Takes the numbers and the publisher.
function hot.packHot(
  tierNumber, flags, definitions, minuteStart, minute, day, today, fence, count, moreSlots, nextDue, dueIndexed,
  listenUntil, messages, bytes, publisher
)
  local packed = struct.pack(
    hot.FORM, tierNumber, flags, definitions, minuteStart, minute, day, today, fence, count, moreSlots, nextDue,
    dueIndexed, listenUntil, messages, bytes
  )
  return publisher == '' and packed or packed .. publisher
end

-- That of a tenant that has none yet.
hot.NONE = hot.packHot(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, hot.NEVER, hot.NEVER, 0, 0, hot.NEVER, '')

return hot
