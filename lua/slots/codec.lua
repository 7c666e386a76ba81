-- The record of a held slot. Modules see it as a table, which they replace and never modify:
--   owner          the holder: a requester, or system:<resource> for a blocker
--   refCount       number of reservations whose plans hold the slot
--   pool           the pool it is a slot of, '' for a resource's only slot
--   byName         true if the slot was reserved by its own name, or is another slot of a reservation of several
--                  slots; it is then not its owner's assigned slot
--   token          release token (22 characters) of the reservation whose own slot this is; nil if the slot is held
--                  only by plans of other reservations
--   holders        of a slot that is held SHARED (slots/shared.lua): the requesters that hold it, each followed by
--                  '\n', as far as they fit (reservations/take.lua); else nil
-- A record with a token is a reservation, and its fencing token identifies it. It also has:
--   slot           the reservation's own slot (not stored: the slot is the record's field in the hash)
--   fence          fencing token
--   reservedAt     ms
--   expiresAt      ms, 0 never
--   type, label    resource type, '' the default; label of the key, '' none
--   requestedName  the resource as the caller named it
--   plan           the other slots that it holds, in the order they were taken, each followed by '\n'; of a
--                  reservation of several slots, the other ones too
--   details        the slots as the requester sees them, and the extra fields, as JSON
--                  (reservations/texts.lua), '' none
--   packed         the record as it was read, for the history; nil if it is new (not stored)
-- and extra fields, each nil if the reservation does not have it:
--   note           why it was made
--   match          by which match it was made: the digest of that, and the resource that was picked
--                  (reservations/match.lua)
--   session        id of the session that it lasts as long as (sessions/sessions.lua); expiresAt is 0 then
--   waited         how long its caller waited for it, in ms
--   lease          of a grant of a bookable resource: the lease that it may get when it is claimed, in ms; nil: one
--                  without an end, or its slots cannot be booked
--   condition      the condition that it asked for: dirty or out (slots/conditions.lua)
--   booking        id of the booking that it is of (bookings/records.lua)
-- Extra fields stand in `details`, as {"x":{"note":"..."},...}, before everything else. Only a booking and a session
-- come to a reservation later.
-- Two fields may change. They end the record, if it has one of them (the tail):
--   leasedAt       ms: when its lease began, if it was renewed or claimed; nil: when it was made
--   isTold         true once its holder was told that somebody waits (waiting/tellHolder.lua)
-- To add an extra field: give it to addExtras() (reservations/reserve.lua), name it here and in `Extras` of
-- slotRecord.ts. Its value is a text, a number of at most 14 digits, true, or an array of these that is not empty.
--
-- The slots hash has it packed, in one of three forms. The first byte is the form. Integers are big-endian and
-- unsigned; a string (s) ends with a zero byte, which no name contains. src/engine/reservations/slotRecord.ts reads
-- these forms too.
--   1 not a reservation               refCount, owner, pool, byName (1 or 0), holders ('' is left out)
--   2 a reservation of a plain name   owner, fence, reservedAt, expiresAt, token, type, label
--   3 any other reservation           all fields
-- leasedAt (0 nil) and isTold (1 or 0) may follow 2 and 3. The plain way ignores them.
local codec = {}
-- The release token of a reservation that was granted to a ticket and is not claimed yet. No caller can send it.
codec.UNCLAIMED = '!!!!!!!!!!!!!!!!!!!!!!'
-- Details without fields, of the only slot of a resource that may not be ready: so its record is none of a plain name,
-- which the plain way (lua/plain) would release without a look at its condition.
codec.NO_DETAILS = '{}'

local byte, find, unpackFields = string.byte, string.find, struct.unpack
local HOLD, HOLDERS, PLAIN, FULL = '>BI4ssB', 's', '>BsI7I6I6c22ss', '>BI4ssBI7I6I6c22sssss'
local TAIL = '>I6B'
-- The form of a plain name's reservation up to the first byte of the release token. Tokens of callers are base64url, so
-- this byte tells UNCLAIMED: a refusal needs no more, and each text that Lua makes costs it.
local HOLDER, UNCLAIMED_BYTE = '>BsI7I6I6B', 33
-- The third byte of details that have extra fields: x.
local EXTRAS = 120
-- The most names of slots in a record of the history.
local MAX_SLOTS = 100

-- Returns a copy of a record with some of its fields replaced.
function codec.copyWith(record, fields)
  local copy = {}
  for name, value in pairs(record) do
    copy[name] = value
  end
  for name, value in pairs(fields) do
    copy[name] = value
  end
  return copy
end

-- Returns a reservation's details with its extra fields in front. Takes the details without them, '' none, and a
-- table of the fields.
function codec.withExtras(details, fields)
  if next(fields) == nil then
    return details
  end
  return '{"x":' .. cjson.encode(fields) .. (#details > 2 and ',' .. string.sub(details, 2) or '}')
end

-- The form of a reservation of a plain name: 2, then owner, fence, reservedAt, expiresAt, token, type and label.
codec.PLAIN = PLAIN

-- Returns owner, reservedAt, expiresAt, fencing token and the place behind the release token's first byte, of a
-- reservation of a plain name; nil if the record has another form, or nobody has claimed it.
function codec.holderOf(packed)
  if byte(packed) == 2 then
    local _, owner, fence, reservedAt, expiresAt, first, at = unpackFields(HOLDER, packed)
    if first ~= UNCLAIMED_BYTE then
      return owner, reservedAt, expiresAt, fence, at
    end
  end
end

-- Returns the release token of a record, whose place holderOf() has returned.
function codec.tokenAt(packed, at)
  return string.sub(packed, at - 1, at + 20)
end

-- Packs a reservation of one slot of a pool, which has no other slots and no extra fields.
function codec.packSlot(owner, pool, byName, fence, reservedAt, expiresAt, token, type, label, requestedName, details)
  return struct.pack(
    FULL, 3, 1, owner, pool, byName and 1 or 0, fence, reservedAt, expiresAt, token, type, label, requestedName, '',
    details
  )
end

-- Returns owner, pool, byName, expiresAt, release token, type and requestedName of such a reservation; nil if the
-- record is another.
function codec.unpackSlot(packed)
  if byte(packed) ~= 3 then
    return nil
  end
  local _, refCount, owner, pool, byName, _, _, expiresAt, token, type, _, requestedName, plan, details =
    struct.unpack(FULL, packed)
  if refCount == 1 and plan == '' and byte(details, 3) ~= EXTRAS and token ~= codec.UNCLAIMED and pool ~= '' then
    return owner, pool, byName == 1, expiresAt, token, type, requestedName
  end
end

-- Returns true if a packed reservation of the form 3 is of a slot that is in no pool.
function codec.isOfName(packed)
  -- The name of the pool is behind that of the owner.
  return byte(packed) == 3 and byte(packed, find(packed, '\0', 6, true) + 1) == 0
end

-- The details of a reservation without other slots and extra fields, whose requester waited for it.
local WAITED = '^{"x":{"waited":%d+}}$'

-- Unpacks a reservation of one slot that is in no pool, which has no extra fields, unless its requester waited for it.
-- Returns owner, release token, expiresAt, type, label, fencing token, the place of the tail, and true if it waited:
-- then the slot may be one that may not be ready. Returns nil if the record is another, or nobody has claimed it. Takes
-- the name of the slot.
function codec.unpackAlone(packed, name)
  local form = byte(packed)
  if form == 2 then
    local _, owner, fence, _, expiresAt, token, type, label, at = struct.unpack(PLAIN, packed)
    if token ~= codec.UNCLAIMED then
      return owner, token, expiresAt, type, label, fence, at
    end
  elseif form == 3 then
    local _, refCount, owner, pool, _, fence, _, expiresAt, token, type, label, requestedName, plan, details, at =
      struct.unpack(FULL, packed)
    if
      refCount == 1 and pool == '' and plan == '' and requestedName == name and token ~= codec.UNCLAIMED and
      find(details, WAITED)
    then
      return owner, token, expiresAt, type, label, fence, at, true
    end
  end
end

-- Returns true if the holder of such a reservation was told that somebody waits. Takes the place of the tail.
function codec.isTold(packed, at)
  return at <= #packed and byte(packed, -1) == 1
end

-- Returns such a reservation as it is once its holder was told.
function codec.withTold(packed, at)
  return at <= #packed and string.sub(packed, 1, -2) .. '\1' or packed .. struct.pack(TAIL, 0, 1)
end

-- Returns a packed reservation with its tail, if it has one.
local function withTail(packed, r)
  if r.leasedAt or r.isTold then
    return packed .. struct.pack(TAIL, r.leasedAt or 0, r.isTold and 1 or 0)
  end
  return packed
end

-- Assigns what stands behind the fields of a packed reservation.
local function readTail(record, packed, at)
  local leasedAt, isTold = struct.unpack(TAIL, packed, at)
  record.leasedAt, record.isTold = leasedAt > 0 and leasedAt or nil, isTold == 1 or nil
end

function codec.pack(slot, r)
  if not r.token then
    local hold = struct.pack(HOLD, 1, r.refCount, r.owner, r.pool, r.byName and 1 or 0)
    return (r.holders or '') ~= '' and hold .. struct.pack(HOLDERS, r.holders) or hold
  elseif r.refCount == 1 and r.pool == '' and r.plan == '' and r.details == '' and r.requestedName == slot then
    return withTail(struct.pack(PLAIN, 2, r.owner, r.fence, r.reservedAt, r.expiresAt, r.token, r.type, r.label), r)
  end
  return withTail(struct.pack(
    FULL, 3, r.refCount, r.owner, r.pool, r.byName and 1 or 0, r.fence, r.reservedAt, r.expiresAt, r.token, r.type,
    r.label, r.requestedName, r.plan, r.details
  ), r)
end

function codec.unpackRecord(slot, packed)
  local form = byte(packed)
  if form == 2 then
    local _, owner, fence, reservedAt, expiresAt, token, type, label, at = struct.unpack(PLAIN, packed)
    local record = {
      slot = slot, owner = owner, refCount = 1, pool = '', fence = fence, reservedAt = reservedAt,
      expiresAt = expiresAt, token = token, type = type, label = label, requestedName = slot, plan = '', details = '',
      packed = packed,
    }
    if at <= #packed then
      readTail(record, packed, at)
    end
    return record
  elseif form == 1 then
    local _, refCount, owner, pool, byName, at = struct.unpack(HOLD, packed)
    local holders = at <= #packed and struct.unpack(HOLDERS, packed, at) or nil
    return { owner = owner, refCount = refCount, pool = pool, byName = byName == 1, holders = holders }
  end
  local _, refCount, owner, pool, byName, fence, reservedAt, expiresAt, token, type, label, requestedName, plan,
    details, at = struct.unpack(FULL, packed)
  local record = {
    slot = slot, owner = owner, refCount = refCount, pool = pool, byName = byName == 1, fence = fence,
    reservedAt = reservedAt, expiresAt = expiresAt, token = token, type = type, label = label,
    requestedName = requestedName, plan = plan, details = details, packed = packed,
  }
  if byte(details, 3) == EXTRAS then
    for field, value in pairs(cjson.decode(details).x) do
      record[field] = value
    end
  end
  if at <= #packed then
    readTail(record, packed, at)
  end
  return record
end

-- Leaves out of a long record what the history does not need: the plan, the blockers, and the names of slots after the
-- first 100. Takes a slot and its packed record. Returns the record that the history gets.
function codec.leanRecord(slot, packed)
  local lean = codec.unpackRecord(slot, packed)
  local parts = lean.details == '' and {} or cjson.decode(lean.details)
  local details = { x = parts.x, o = parts.o and { unpack(parts.o, 1, math.min(#parts.o, MAX_SLOTS)) }, m = parts.m }
  lean.plan, lean.details = '', next(details) and cjson.encode(details) or ''
  return codec.pack(slot, lean)
end

return codec
