-- The record of a held slot. Here it is a table, never changed but replaced:
--   owner          the holder: a requester, or system:<resource> for a blocker
--   refCount       number of reservations whose plans hold the slot
--   pool           the pool it is a slot of, '' for a resource's only slot
--   byName         true if it was reserved by its own name: it is then not the slot that its owner was assigned
--   token          release token (22 characters) of the reservation that stands on it; nil if the slot is only held
--                  along with others
-- A record with a token is a reservation. Its fencing token is its identity. It has besides:
--   slot           the slot that it stands on (not stored: the slot is the record's field in the hash)
--   fence          fencing token
--   reservedAt     ms
--   expiresAt      ms, 0 never
--   type, label    resource type, '' the default; label of the key, '' none
--   requestedName  the resource as the caller named it
--   plan           the other slots that it holds, in the order they were taken, each followed by '\n'
--   details        the slots as the requester sees them, as JSON (describe in reserve.lua), '' none
-- In the slots hash it is packed, in one of three forms, told apart by the first byte. Integers are big-endian and
-- unsigned; s ends in a zero byte, which no name can hold. src/engine/reservations/slotRecord.ts reads the same forms.
--   1 only held along                 refCount, owner, pool, byName (1 or 0)
--   2 a reservation of a plain name   owner, fence, reservedAt, expiresAt, token, type, label
--   3 any other reservation           all
local HOLD, PLAIN, FULL = '>BI4ssB', '>BsI7I6I6c22ss', '>BI4ssBI7I6I6c22sssss'

local function pack(slot, r)
  if not r.token then
    return struct.pack(HOLD, 1, r.refCount, r.owner, r.pool, r.byName and 1 or 0)
  elseif r.refCount == 1 and r.pool == '' and r.plan == '' and r.details == '' and r.requestedName == slot then
    return struct.pack(PLAIN, 2, r.owner, r.fence, r.reservedAt, r.expiresAt, r.token, r.type, r.label)
  end
  return struct.pack(
    FULL, 3, r.refCount, r.owner, r.pool, r.byName and 1 or 0, r.fence, r.reservedAt, r.expiresAt, r.token, r.type,
    r.label, r.requestedName, r.plan, r.details
  )
end

local function unpackRecord(slot, packed)
  local form = string.byte(packed)
  if form == 2 then
    local _, owner, fence, reservedAt, expiresAt, token, type, label = struct.unpack(PLAIN, packed)
    return {
      slot = slot, owner = owner, refCount = 1, pool = '', fence = fence, reservedAt = reservedAt, expiresAt = expiresAt,
      token = token, type = type, label = label, requestedName = slot, plan = '', details = '',
    }
  elseif form == 1 then
    local _, refCount, owner, pool, byName = struct.unpack(HOLD, packed)
    return { owner = owner, refCount = refCount, pool = pool, byName = byName == 1 }
  end
  local _, refCount, owner, pool, byName, fence, reservedAt, expiresAt, token, type, label, requestedName, plan, details =
    struct.unpack(FULL, packed)
  return {
    slot = slot, owner = owner, refCount = refCount, pool = pool, byName = byName == 1, fence = fence,
    reservedAt = reservedAt, expiresAt = expiresAt, token = token, type = type, label = label,
    requestedName = requestedName, plan = plan, details = details,
  }
end
