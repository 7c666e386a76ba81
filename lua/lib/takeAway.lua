--@rare
-- Remembers who took reservations away from their holders (docs/specification.md#taken-away). tellTaken.lua tells them.
--   taken    hash: release token -> ms and actor, with a line break between
--   takenAt  sorted set: release token -> ms
--
-- tenant.takenAway: the reservations that this request released without their tokens, nil none. A rollback may have
-- brought some of them back.
--@include actorName
--@include callWith
--@include slots

-- Writes them. Call it when all changes are written.
local function keepTaken()
  local KEEP_MS, MAX_KEPT, MAX_DROPPED = 86400000, 10000, 1000
  local now = string.format('%.0f', nowMs)
  local set, due = {}, {}
  for _, reservation in ipairs(tenant.takenAway) do
    local record = recordAt(reservation.slot)
    if not record or record.token ~= reservation.token then
      set[#set + 1] = reservation.token
      set[#set + 1] = now .. '\n' .. actorName(reservation.owner)
      due[#due + 1] = now
      due[#due + 1] = reservation.token
    end
  end
  if #set == 0 then
    return
  end
  callWith('HSET', takenKey, set)
  callWith('ZADD', takenAtKey, due)
  local old = redis.call('ZCOUNT', takenAtKey, '-inf', nowMs - KEEP_MS)
  local surplus = math.min(math.max(old, redis.call('ZCARD', takenAtKey) - MAX_KEPT), MAX_DROPPED)
  local dropped = {}
  for i, one in ipairs(surplus > 0 and redis.call('ZPOPMIN', takenAtKey, surplus) or {}) do
    -- Each token is followed by its score.
    dropped[#dropped + 1] = i % 2 == 1 and one or nil
  end
  callWith('HDEL', takenKey, dropped)
  redis.call('PEXPIRE', takenKey, KEEP_MS)
  redis.call('PEXPIRE', takenAtKey, KEEP_MS)
end
