-- The tenant's hash, read once a script. Fields:
--   key:<SHA-256>        label of the API key with this digest, '' none
--   tier, suspended      the tenant's tier; '1' if it is suspended
--   resets               number of resets so far: a paged walk that began before one ends
--   count                reservations in force, and expired ones that no script has come across yet
--   fence                the last fencing token given out
--   nextDue              ms: no reservation is due before this; may be too early, never too late. inf: none is ever due
--   indexed              ms: the expiry index holds this tenant at or before this time. inf: it need not
--   swept                number of sweeps that were about to raise the tenant's time in the expiry index
--   definitions          number of registered resources
--   requireRegistration  '1' if only these may be reserved
--   usage                what was written in the open windows, packed (charge.lua)
--   listenUntil          ms: until then a stream of events has a lease; 0: none has
--   messages             number of the last message on the tenant's channel of events (publish.lua)
--   publisher            the Redis process that numbers the messages: openStream.lua
--   told:<limitType>     ms at which subscribers were last told that this limit was reached
--   version              version of the tenant's record (tier, keys, settings) in the database
--   definitionsVersion   version of its definitions in the database; absent if they have not all been copied here
--   closing              ms: until then a definition may be about to be deleted, and must not be reserved
-- ARGV[1] is the credential (admit.lua) in scripts that have one.
--@include clock
local base = string.sub(tenantKey, 1, -7)
local tenant = redis.call(
  'HMGET', tenantKey,
  'key:' .. ARGV[1], 'suspended', 'tier', 'resets', 'count', 'fence', 'nextDue', 'indexed', 'swept', 'definitions',
  'requireRegistration', 'usage', 'listenUntil', 'messages', 'definitionsVersion', 'closing', 'publisher'
)
local keyLabel, suspended, tier = tenant[1] or '', tenant[2] == '1', tenant[3]
local resets = tenant[4] or '0'
local count = tonumber(tenant[5] or 0)
local fence = tonumber(tenant[6] or 0)
local nextDue = tonumber(tenant[7] or math.huge)
local indexed = tonumber(tenant[8] or math.huge)
local nextDueBefore, indexedBefore = nextDue, indexed
local swept = tonumber(tenant[9] or 0)
local definitions = tonumber(tenant[10] or 0)
local requireRegistration = tenant[11] == '1'
local usage = tenant[12]
local listenUntil = tonumber(tenant[13] or 0)
local messages = tonumber(tenant[14] or 0)
local definitionsVersion = tenant[15]
local closing = tonumber(tenant[16] or 0)
local publisher = tenant[17] or ''
--@include limits
