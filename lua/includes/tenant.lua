-- The tenant that KEYS[1] names, and what is kept of it in that one hash. Every other key of the tenant begins with
-- base and so lies in the same hash slot; those whose names hold the epoch are emptied by a reset, which begins a new one.
--   epoch                number of resets so far
--   emptied              the oldest epoch whose keys may still be there
--   count                reservations in force, and expired ones that no script has come across yet
--   fence                the last fencing token given out
--   nextDue              ms: no reservation is due before this; may be too early, never too late. inf: none is due ever
--   indexed              ms: the expiry index holds this tenant at or before this time. inf: it need not
--   definitions          how many resources are registered
--   requireRegistration  '1' where only these may be reserved
--   tier                 the tenant's
--   suspended            '1' where it is: its keys are then under another name, where no script finds them (loadTenant.lua)
--   usage                what was written, packed (charge.lua)
--   listenUntil          ms: until then a stream of events has a lease; 0: none has
--   messages             the number of the last message to streams of events (publish.lua)
--   version              of the record that the database has of it: tier, keys, settings
--   definitionsVersion   of its definitions in the database; none where they have not all been copied here
--   closing              ms: until then a definition may be about to be deleted, and must not be reserved
-- Gives these, and the names of the keys.
local base = string.sub(KEYS[1], 1, -7)
local tenant = redis.call(
  'HMGET', KEYS[1],
  'epoch', 'count', 'fence', 'nextDue', 'indexed', 'definitions', 'requireRegistration', 'listenUntil', 'tier', 'usage',
  'definitionsVersion', 'closing'
)
local epoch = tenant[1] or '0'
local count = tonumber(tenant[2] or 0)
local fence = tonumber(tenant[3] or 0)
local nextDue = tonumber(tenant[4] or math.huge)
local indexed = tonumber(tenant[5] or math.huge)
local nextDueBefore, indexedBefore = nextDue, indexed
local definitions = tonumber(tenant[6] or 0)
local requireRegistration = tenant[7] == '1'
local listenUntil = tonumber(tenant[8] or 0)
local tier, usage = tenant[9], tenant[10]
local definitionsVersion = tenant[11]
local closing = tonumber(tenant[12] or 0)
--@include limits
local slotsKey = base .. 'slots:' .. epoch
local dueKey = base .. 'due:' .. epoch
