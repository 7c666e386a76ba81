-- The tenant's hash. begin() reads it, since every verb needs it first. Fields of the hash:
--   hot                  packed (hot.lua). The table of the tenant has these numbers as fields; other modules change
--                        them, and save() writes them:
--     tierNumber         1 Free, 2 Starter, 3 Pro, 4 Enterprise; 0: the tenant is not loaded
--     flags              the sum of: 1 if a resource has had labels; 2 if there is the field closing, 4 beats, 8 queue,
--                        16 sessions, 32 terms; 64 if the tenant is suspended; 128 if only registered resources may be
--                        reserved; 256 if there is an outbox; 512 if there are bookings
--     definitions        number of registered resources
--     minuteStart, minute, day, today  writes in the open windows of the quota (quota.lua): when the minute began, in
--                        ms, and its writes; the day since 1970, and its writes
--     fence              the last fencing token that was drawn
--     count              number of reservations, including expired ones that no script has ended yet
--     moreSlots          number of slots of reservations of several slots, but for the first of each (slots.lua)
--     nextDue            ms: neither a reservation nor a booking is due before this; may be too early, never too late.
--                        NEVER: none will be
--     dueIndexed         ms: the due index has this tenant at or before this time. NEVER: it may lack the tenant
--     listenUntil        ms: the last lease of an event stream ends then; 0: no stream has a lease
--     messages           number of the last message on the tenant's channel of events (events/events.lua)
--     bytes              what the tenant keeps, at most (limits/bytes.lua); NEVER: it has not been measured
--     box                the numbers of the outbox, nil if there is none (events/outbox.lua)
--     publisher          the Redis process that numbers the messages (verbs/streams.lua), '' none
--   key:<SHA-256>        an API key with this digest, or a management token (its digest follows `management:`): its
--                        label, '' none. If it is restricted, three lines follow: its rights (src/domain/rights.ts),
--                        when it ends (ms, 0 never) and the prefix of the names that it may change ('' any)
-- and fields that few requests read; flags tell whether the first five are there:
--   closing              ms: until then some resource cannot be reserved, since it may be about to be deleted
--   beats                last beats of the instances that have long polls (waiting/state.lua)
--   queue                state of the waiting queue (waiting/state.lua); absent if there is no ticket
--   sessions             state of the sessions (sessions/sessions.lua); absent if there is none
--   terms                the settings for leases and notes (terms.lua), '' or absent if none is set
--   narrowing            ms: until then nothing is booked, since slots may be about to be removed; absent if not
--   resetBy              ms and actor of the last reset, with a line break between
--   resets               number of resets so far: a paged walk that began before a reset ends
--   swept                number of sweeps after which the tenant's time in the due index may have been raised
--   maxPriority          the highest priority that requests with keys and sign-in sessions may wait with; no script
--                        reads it
--   told:<limitType>     ms of the last event that reported this limit
--   version              version of the tenant's record (tier, keys, settings) in the database
--   definitionsVersion   version of its definitions in the database; absent if they are not all copied here
--   bookingsCompared     the state of Redis in which its bookings were last compared with the database
--                        (src/engine/bookingCopies.ts)
--   measured             what it kept when it was last measured, in bytes, and when, in ms (limits/bytes.lua)
-- The table also has
--   tier, limits   the name of the tier, nil if the tenant is not loaded; its limits
--   hasKey         true if the caller's credential is a key of the tenant; keyLabel: its label, '' none; grant: what
--                  restricts it, nil nothing
--   labelled, isSuspended, requiresRegistration  what the flags say
--   base           the prefix of the tenant's keys: {<tenant id>}:
-- and the five fields above. Other modules add fields of a call, which begin() drops: admit() (admission.lua) adds
-- endsAt and prefix, of the grant; session, the value of the derived token or the sign-in session; rights and
-- tokenRights, those of a sign-in session and of a derived token, nil for other credentials; mayChange and
-- mayChangeAll, if the key or token has a prefix. Others are foreign: why the request is refused as a whole, since it
-- concerns what the caller may not change; isRedefined: true if this call changes definitions
-- (definitions/redefine.lua); and requestMark: the journal's length (slots/slots.lua) before the transaction that is
-- carried out, nil for other requests. ARGV[1] is the credential in verbs that take one.
local call = require('frame/call')
local hot = require('frame/hot')
local keys = require('frame/keys')
local LIMITS = require('frame/limits')
-- No limit: 2 ^ 53, more than any count. The flags that scripts change.
local tenant = {
  NO_LIMIT = 9007199254740992, HAS_LABELS = 1, HAS_CLOSING = 2, HAS_BEATS = 4, HAS_QUEUE = 8, HAS_SESSIONS = 16,
  HAS_TERMS = 32, IS_SUSPENDED = 64, REQUIRES_REGISTRATION = 128, HAS_BOOKINGS = hot.HAS_BOOKINGS,
}

local TIERS = { 'Free', 'Starter', 'Pro', 'Enterprise' }
local NEVER, HUGE = hot.NEVER, math.huge
local unpackHot = hot.unpackHot
local find, sub = string.find, string.sub
-- The fields that stay from call to call: those above and the functions.
local STAYS = {}
-- The fields `hot` and that of the key, as they were read.
local packed, grant

-- Assigns the numbers of the packed field. A time or number of bytes that there is not is infinite.
local function assignNumbers()
  local nextDue, dueIndexed, bytes, boxAt
  tenant.tierNumber, tenant.flags, tenant.definitions, tenant.minuteStart, tenant.minute, tenant.day, tenant.today,
    tenant.fence, tenant.count, tenant.moreSlots, nextDue, dueIndexed, tenant.listenUntil, tenant.messages, bytes,
    tenant.publisher, boxAt = unpackHot(packed)
  tenant.nextDue = nextDue < NEVER and nextDue or HUGE
  tenant.dueIndexed = dueIndexed < NEVER and dueIndexed or HUGE
  tenant.bytes = bytes < NEVER and bytes or HUGE
  tenant.box = hot.hasNotices(tenant.flags) and hot.unpackBox(packed, boxAt) or nil
end

-- Assigns what the tenant's hash says of the key that is asked with.
local function assignKey()
  local at = grant and find(grant, '\n', 1, true)
  tenant.hasKey, tenant.keyLabel, tenant.grant = grant and true or false, grant or '', nil
  if at then
    tenant.keyLabel, tenant.grant = sub(grant, 1, at - 1), sub(grant, at + 1)
  end
end

-- Assigns what the flags say, and the fields that few tenants have. Reads them if one is there.
local function assignRare()
  local flags = tenant.flags
  local found = flags % 64 >= 2 and
    redis.call('HMGET', keys.tenant, 'closing', 'beats', 'queue', 'sessions', 'terms') or {}
  tenant.closing, tenant.beats, tenant.terms = tonumber(found[1] or 0), found[2] or '', found[5] or ''
  tenant.queueText, tenant.sessionsText = found[3] or nil, found[4] or nil
  tenant.labelled, tenant.isSuspended = flags % 2 == 1, flags % 128 >= 64
  tenant.requiresRegistration = flags % 256 >= 128
end

-- Reads the tenant.
function tenant.begin()
  for field in pairs(tenant) do
    if not STAYS[field] then
      tenant[field] = nil
    end
  end
  -- The plain way (lua/plain) may have read it before.
  local found = call.handed or redis.call('HMGET', keys.tenant, 'hot', 'key:' .. (call.args[1] or ''))
  packed, grant = found[1] or hot.NONE, found[2]
  assignNumbers()
  assignKey()
  assignRare()
  tenant.hot, tenant.base = packed, sub(keys.tenant, 1, -7)
  tenant.tier, tenant.limits = TIERS[tenant.tierNumber], LIMITS[tenant.tierNumber]
end

-- Undoes all changes of the numbers that were not written.
function tenant.undoNumbers()
  packed = tenant.hot
  assignNumbers()
end

-- Sets or clears a flag. save() writes it.
function tenant.setFlag(flag, isSet)
  local flags = tenant.flags
  if (flags % (2 * flag) >= flag) ~= isSet then
    tenant.flags = flags + (isSet and flag or -flag)
  end
end

-- Returns a time or number as the packed field has it.
local function finite(value)
  return value < hot.NEVER and value or hot.NEVER
end

-- Sets the types of events that the outbox wants (domain/notices.ts), '' none. Then there is no outbox.
function tenant.setNotices(text)
  local types, personTypes = string.match(text, '^(%d+) (%d+)$')
  tenant.setFlag(hot.HAS_NOTICES, types ~= nil)
  tenant.box = types and (tenant.box or { from = 0, to = 0, entries = 0, events = 0, missed = 0 }) or nil
  if types then
    tenant.box.types, tenant.box.personTypes = tonumber(types), tonumber(personTypes)
  end
end

-- Writes the numbers of the tenant if they have changed, and other fields of the hash: field, value, ...
function tenant.save(fields)
  local before, now = tenant.hot, hot.packHot(
    tenant.tierNumber, tenant.flags, tenant.definitions, tenant.minuteStart, tenant.minute, tenant.day, tenant.today,
    tenant.fence, tenant.count, tenant.moreSlots, finite(tenant.nextDue), finite(tenant.dueIndexed), tenant.listenUntil,
    tenant.messages, finite(tenant.bytes), tenant.publisher, tenant.box
  )
  tenant.hot = now
  if not fields or not fields[1] then
    if now ~= before then
      redis.call('HSET', keys.tenant, 'hot', now)
    end
    return
  end
  if now ~= before then
    fields[#fields + 1], fields[#fields + 2] = 'hot', now
  end
  redis.call('HSET', keys.tenant, unpack(fields))
end

-- Writes what the tenant keeps, in bytes, and other fields. The call's other changes are not written yet.
function tenant.saveBytes(total, fields)
  local changed = {}
  for field, value in pairs(tenant) do
    changed[field] = value
  end
  tenant.undoNumbers()
  tenant.bytes = total
  tenant.save(fields)
  changed.bytes, changed.hot = total, tenant.hot
  for field, value in pairs(changed) do
    tenant[field] = value
  end
end

for field in pairs(tenant) do
  STAYS[field] = true
end

return tenant
