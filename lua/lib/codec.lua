-- The record of a held slot. Here it is a table, never changed but replaced:
--   owner         who holds it: a requester, or system:<resource> for a blocker
--   needs         reservations whose plans hold it
--   pool          the pool it is a slot of, '' for a resource's only slot
--   byName        true where it was asked for by its own name: it is then not the slot its owner has of the pool
--   token         release token (22 characters) of the reservation that stands on it; nil where it is only held along
-- and with a token: fence, reservedAt (ms), expiresAt (ms, 0 never), type ('' the default), label (of the key, ''
-- none),
--   asked         the resource as it was asked for
--   plan          the other slots that it holds, in plan order, each followed by '\n'
--   shown         what its requester was told of them, as JSON (see grant in plan.lua); '' nothing
-- In the slots hash it is packed, in one of three forms, the first byte saying which. Integers are big-endian and
-- unsigned; s ends in a zero byte, which no name can hold. src/engine/reservations/slotRecord.ts reads the same forms.
--   1 only held along                 needs, owner, pool, byName (1 or 0)
--   2 a reservation of a plain name   owner, fence, reservedAt, expiresAt, token, type, label
--   3 any other reservation           all
local HOLD, PLAIN, FULL = '>BI4ssB', '>BsI7I6I6c22ss', '>BI4ssBI7I6I6c22sssss'

local function pack(slot, r)
  if not r.token then
    return struct.pack(HOLD, 1, r.needs, r.owner, r.pool, r.byName and 1 or 0)
  elseif r.needs == 1 and r.pool == '' and r.plan == '' and r.shown == '' and r.asked == slot then
    return struct.pack(PLAIN, 2, r.owner, r.fence, r.reservedAt, r.expiresAt, r.token, r.type, r.label)
  end
  return struct.pack(
    FULL, 3, r.needs, r.owner, r.pool, r.byName and 1 or 0, r.fence, r.reservedAt, r.expiresAt, r.token, r.type,
    r.label, r.asked, r.plan, r.shown
  )
end

local function unpackRecord(slot, packed)
  local form = string.byte(packed)
  if form == 2 then
    local _, owner, fence, reservedAt, expiresAt, token, type, label = struct.unpack(PLAIN, packed)
    return {
      owner = owner, needs = 1, pool = '', fence = fence, reservedAt = reservedAt, expiresAt = expiresAt,
      token = token, type = type, label = label, asked = slot, plan = '', shown = '',
    }
  elseif form == 1 then
    local _, needs, owner, pool, byName = struct.unpack(HOLD, packed)
    return { owner = owner, needs = needs, pool = pool, byName = byName == 1 }
  end
  local _, needs, owner, pool, byName, fence, reservedAt, expiresAt, token, type, label, asked, plan, shown =
    struct.unpack(FULL, packed)
  return {
    owner = owner, needs = needs, pool = pool, byName = byName == 1, fence = fence, reservedAt = reservedAt,
    expiresAt = expiresAt, token = token, type = type, label = label, asked = asked, plan = plan, shown = shown,
  }
end
