-- The tenant's hash. Including this file reads it, since every script needs it first, except resets, swept and the
-- versions, which few scripts read. Fields of the hash:
--   key:<SHA-256>        label of the API key with this digest, '' none
--   grant:<SHA-256>      what a restricted key may do, and what a management token may (its digest follows
--                        `management:`): its rights (src/domain/rights.ts), when it ends (ms, 0 never) and the prefix
--                        of the names that it may change ('' any), in three lines. Absent: a key without restrictions
--   tier, suspended      the tenant's tier; '1' if it is suspended
--   resetBy              ms and actor of the last reset, with a line break between
--   resets               number of resets so far: a paged walk that began before a reset ends
--   count                number of reservations, including expired ones that no script has ended yet
--   further              number of further slots of reservations of several slots (slots.lua)
--   fence                the last fencing token that was drawn
--   nextDue              ms: no reservation is due before this; may be too early, never too late. inf: none will be due
--   indexed              ms: the expiry index has this tenant at or before this time. inf: it may lack the tenant
--   swept                number of sweeps after which the tenant's time in the expiry index may have been raised
--   definitions          number of registered resources
--   requireRegistration  '1' if only registered resources may be reserved
--   maxPriority          the highest priority that requests with keys and sign-in sessions may wait with; no script
--                        reads it
--   terms                the settings for leases and notes (terms.lua), '' or absent if none is set
--   usage                writes in the open windows of the quota, packed (quota.lua)
--   listenUntil          ms: the last lease of an event stream ends then; 0: no stream has a lease
--   messages             number of the last message on the tenant's channel of events (publish.lua)
--   publisher            the Redis process that numbers the messages (openStream.lua)
--   told:<limitType>     ms of the last event that reported this limit
--   version              version of the tenant's record (tier, keys, settings) in the database
--   definitionsVersion   version of its definitions in the database; absent if they are not all copied here
--   closing              ms: until then some resource cannot be reserved, since it may be about to be deleted
--   queue                state of the waiting queue (waiting/state.lua); absent if there is no ticket
--   beats                last beats of the instances that hold calls (waiting/beats.lua)
--   sessions             state of the sessions (sessions/records.lua); absent if there is none
--   labelled             '1' if a resource has had labels
--   bytes                what the tenant keeps, at most (written.lua); absent: it has not been measured
--   measured             what it kept when it was last measured, in bytes, and when, in ms (measureBytes.lua)
-- The table also has, once admit() has been called: endsAt and prefix, of the grant; session, the value of the derived
-- token or the sign-in session; rights, those of a sign-in session, nil for other credentials; isRedefined: true if
-- this script changes definitions (redefine.lua), and redefined: their names; mayChange and mayChangeAll, if the key
-- has a prefix (prefix.lua); foreign: why the request is refused as a whole, since it concerns what the caller may not
-- change; and requestMark: the journal's length (slots.lua) before the transaction that is carried out, nil for other
-- requests. In scripts that take a credential, ARGV[1] is it (admit.lua).
--
-- Scripts change count, further, fence, nextDue, indexed, messages and listenUntil of this table; commit() writes them.
local call = require('frame/call')
local keys = require('frame/keys')
local limitsOf = require('frame/limits')
local tenant = {}

-- No limit: 2 ^ 53, more than any count.
local NO_LIMIT = 9007199254740992

-- Reads the tenant. The fields of the call before are dropped, also those that other modules have added.
function tenant.begin()
  -- The plain way (lua/plain) may have read it before.
  local found = call.handed or redis.call(
    'HMGET', keys.tenant,
    'key:' .. call.args[1], 'suspended', 'tier', 'count', 'fence', 'nextDue', 'indexed', 'definitions',
    'requireRegistration', 'usage', 'listenUntil', 'messages', 'closing', 'publisher', 'queue', 'beats', 'further',
    'sessions', 'labelled', 'grant:' .. call.args[1], 'terms', 'bytes'
  )
  local nextDue, indexed = tonumber(found[6] or math.huge), tonumber(found[7] or math.huge)
  local count = tonumber(found[4] or 0)
  local further = count > 0 and tonumber(found[17] or 0) or 0
  for field in pairs(tenant) do
    if field ~= 'begin' then
      tenant[field] = nil
    end
  end
  -- The prefix of the tenant's keys: {<tenant id>}:
  tenant.base = string.sub(keys.tenant, 1, -7)
  tenant.hasKey = found[1] ~= false
  tenant.keyLabel = found[1] or ''
  tenant.isSuspended = found[2] == '1'
  tenant.tier = found[3]
  tenant.count = count
  tenant.countBefore = count
  tenant.further = further
  tenant.furtherBefore = further
  tenant.fence = tonumber(found[5] or 0)
  tenant.nextDue = nextDue
  tenant.nextDueBefore = nextDue
  tenant.indexed = indexed
  tenant.indexedBefore = indexed
  tenant.definitions = tonumber(found[8] or 0)
  tenant.requiresRegistration = found[9] == '1'
  tenant.usage = found[10]
  tenant.listenUntil = tonumber(found[11] or 0)
  tenant.messages = tonumber(found[12] or 0)
  tenant.closing = tonumber(found[13] or 0)
  tenant.publisher = found[14] or ''
  tenant.queueText = found[15]
  tenant.beats = found[16] or ''
  tenant.sessionsText = found[18]
  tenant.labelled = found[19] == '1'
  -- A grant without its key admits nobody.
  tenant.grant = found[1] and found[20] or nil
  tenant.terms = found[21] or ''
  tenant.bytes = tonumber(found[22] or math.huge)
  tenant.limits = limitsOf(tenant.tier)
  tenant.NO_LIMIT = NO_LIMIT
end

return tenant
