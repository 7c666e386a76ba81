-- The field `hot` of the tenant's hash: what changes often, and what every request needs, packed. lua/frame/tenant.lua
-- describes it. The plain way (lua/plain/tenant.lua) uses the same functions; src/redis/hotRecord.ts reads it too.
-- Its numbers, in order, big-endian and unsigned. The last place is for what follows them: the publisher.
local hotField = {}
hotField.TIER, hotField.FLAGS, hotField.DEFINITIONS, hotField.MINUTE_START, hotField.MINUTE = 1, 2, 3, 4, 5
hotField.DAY, hotField.TODAY, hotField.FENCE, hotField.COUNT, hotField.MORE_SLOTS = 6, 7, 8, 9, 10
hotField.NEXT_DUE, hotField.INDEXED, hotField.LISTEN_UNTIL, hotField.MESSAGES = 11, 12, 13, 14
hotField.BYTES, hotField.PUBLISHER = 15, 16
local HOT, HOT_BYTES = '>BBI4I7I4I4I4I7I4I4I7I7I7I6I7', 74
-- No time and no number of bytes: infinite.
hotField.NEVER = 9007199254740992

-- Returns the numbers, and the place after them. Takes nil or false for a tenant that has no field yet.
function hotField.unpackHot(packed)
  if not packed then
    return 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, hotField.NEVER, hotField.NEVER, 0, 0, hotField.NEVER, HOT_BYTES + 1
  end
  return struct.unpack(HOT, packed)
end

-- Takes the numbers and the publisher.
function hotField.packHot(
  tier, flags, definitions, minuteStart, minute, day, today, fence, count, further, nextDue, indexed, listenUntil,
  messages, bytes, publisher
)
  return struct.pack(
    HOT, tier, flags, definitions, minuteStart, minute, day, today, fence, count, further, nextDue, indexed,
    listenUntil, messages, bytes
  ) .. publisher
end

return hotField
