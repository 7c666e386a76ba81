-- The tenant's hash. begin() reads it, since every verb needs it first. Fields of the hash:
--   hot                  packed (hot.lua):
--     tier               1 Free, 2 Starter, 3 Pro, 4 Enterprise; 0: the tenant is not loaded
--     flags              the sum of: 1 if a resource has had labels; 2 if there is the field closing, 4 beats, 8 queue,
--                        16 sessions, 32 terms; 64 if the tenant is suspended; 128 if only registered resources may be
--                        reserved
--     definitions        number of registered resources
--     minuteStart, minute, day, today  writes in the open windows of the quota (quota.lua): when the minute began, in
--                        ms, and its writes; the day since 1970, and its writes
--     fence              the last fencing token that was drawn
--     count              number of reservations, including expired ones that no script has ended yet
--     further            number of further slots of reservations of several slots (slots.lua)
--     nextDue            ms: no reservation is due before this; may be too early, never too late. NEVER: none will be
--     indexed            ms: the expiry index has this tenant at or before this time. NEVER: it may lack the tenant
--     listenUntil        ms: the last lease of an event stream ends then; 0: no stream has a lease
--     messages           number of the last message on the tenant's channel of events (publish.lua)
--     bytes              what the tenant keeps, at most (written.lua); NEVER: it has not been measured
--     publisher          the Redis process that numbers the messages (openStream.lua), '' none
--   key:<SHA-256>        an API key with this digest, or a management token (its digest follows `management:`): its
--                        label, '' none. If it is restricted, three lines follow: its rights (src/domain/rights.ts),
--                        when it ends (ms, 0 never) and the prefix of the names that it may change ('' any)
-- and fields that few requests read; flags tell whether the first five are there:
--   closing              ms: until then some resource cannot be reserved, since it may be about to be deleted
--   beats                last beats of the instances that hold calls (waiting/beats.lua)
--   queue                state of the waiting queue (waiting/state.lua); absent if there is no ticket
--   sessions             state of the sessions (sessions/records.lua); absent if there is none
--   terms                the settings for leases and notes (terms.lua), '' or absent if none is set
--   resetBy              ms and actor of the last reset, with a line break between
--   resets               number of resets so far: a paged walk that began before a reset ends
--   swept                number of sweeps after which the tenant's time in the expiry index may have been raised
--   maxPriority          the highest priority that requests with keys and sign-in sessions may wait with; no script
--                        reads it
--   told:<limitType>     ms of the last event that reported this limit
--   version              version of the tenant's record (tier, keys, settings) in the database
--   definitionsVersion   version of its definitions in the database; absent if they are not all copied here
--   measured             what it kept when it was last measured, in bytes, and when, in ms (measureBytes.lua)
-- The table also has, once admit() has been called: endsAt and prefix, of the grant; session, the value of the derived
-- token or the sign-in session; rights, those of a sign-in session, nil for other credentials; isRedefined: true if
-- this script changes definitions (redefine.lua), and redefined: their names; mayChange and mayChangeAll, if the key
-- has a prefix (prefix.lua); foreign: why the request is refused as a whole, since it concerns what the caller may not
-- change; and requestMark: the journal's length (slots.lua) before the transaction that is carried out, nil for other
-- requests. In scripts that take a credential, ARGV[1] is it (admit.lua).
--
-- Scripts change count, further, fence, nextDue, indexed and bytes of this table; commit() puts them into `stored`, the
-- parts of `hot` as Redis has them, and saveTenant() writes that.
local call = require('frame/call')
local hotField = require('frame/hot')
local keys = require('frame/keys')
local limitsOf = require('frame/limits')
local tenant = {}

-- No limit: 2 ^ 53, more than any count.
local NO_LIMIT = 9007199254740992
local TIERS = { 'Free', 'Starter', 'Pro', 'Enterprise' }

-- Returns the time or number that a part of `hot` has, infinite for none.
local function finiteOr(value)
  return value < hotField.NEVER and value or math.huge
end

-- Adds the fields of the hash that few tenants have. Reads them if the flags say that one is there.
local function addRare(flags)
  local rare = flags % 64 >= 2 and
    redis.call('HMGET', keys.tenant, 'closing', 'beats', 'queue', 'sessions', 'terms') or {}
  tenant.closing, tenant.beats, tenant.terms = tonumber(rare[1] or 0), rare[2] or '', rare[5] or ''
  tenant.queueText, tenant.sessionsText = rare[3] or nil, rare[4] or nil
end

-- Adds what the tenant's hash says of the key that is asked with; `value` is the key's field, false if there is none.
local function addKey(value)
  local label, grant = string.match(value or '', '^([^\n]*)\n?(.*)$')
  tenant.hasKey, tenant.keyLabel, tenant.grant = value and true or false, label, grant ~= '' and grant or nil
end

-- Reads the tenant. The fields of the call before are dropped, also those that other modules have added.
function tenant.begin()
  -- The plain way (lua/plain) may have read it before.
  local found = call.handed or redis.call('HMGET', keys.tenant, 'hot', 'key:' .. (call.args[1] or ''))
  local stored = { hotField.unpackHot(found[1]) }
  stored[hotField.PUBLISHER] = found[1] and string.sub(found[1], stored[hotField.PUBLISHER]) or ''
  local flags = stored[hotField.FLAGS]
  for field in pairs(tenant) do
    if field ~= 'begin' then
      tenant[field] = nil
    end
  end
  -- The prefix of the tenant's keys: {<tenant id>}:
  tenant.base = string.sub(keys.tenant, 1, -7)
  -- The field `hot` as Redis has it; one of a tenant that has none is not written unless something changes.
  tenant.hot = found[1] or hotField.packHot(unpack(stored))
  tenant.stored = stored
  addKey(found[2])
  addRare(flags)
  tenant.tier = TIERS[stored[hotField.TIER]]
  tenant.isSuspended = flags % 128 >= 64
  tenant.requiresRegistration = flags >= 128
  tenant.labelled = flags % 2 == 1
  tenant.definitions = stored[hotField.DEFINITIONS]
  tenant.usage = {
    stored[hotField.MINUTE_START], stored[hotField.MINUTE], stored[hotField.DAY], stored[hotField.TODAY],
  }
  tenant.fence = stored[hotField.FENCE]
  tenant.count = stored[hotField.COUNT]
  tenant.further = stored[hotField.COUNT] > 0 and stored[hotField.MORE_SLOTS] or 0
  tenant.nextDue = finiteOr(stored[hotField.NEXT_DUE])
  tenant.indexed = finiteOr(stored[hotField.INDEXED])
  tenant.listenUntil = stored[hotField.LISTEN_UNTIL]
  tenant.messages = stored[hotField.MESSAGES]
  tenant.bytes = finiteOr(stored[hotField.BYTES])
  tenant.publisher = stored[hotField.PUBLISHER]
  tenant.limits = limitsOf(stored[hotField.TIER])
  tenant.NO_LIMIT = NO_LIMIT
end

return tenant
