-- The tenant that KEYS[1] names, and what is kept of it in that one hash. Every other key of the tenant begins with
-- base and so lies in the same hash slot.
--   epoch    number of resets so far: part of the names of all keys that a reset empties
--   count    reservations in force, and expired ones no script has come across yet
--   fence    the last fencing token given out
--   nextDue  ms: no reservation is due before this; may be too early, never too late. math.huge: none is due ever
--   indexed  ms: the expiry index holds this tenant at or before this time. math.huge: it need not
-- Gives these, base, slotsKey and dueKey.
local base = string.sub(KEYS[1], 1, -7)
local tenant = redis.call('HMGET', KEYS[1], 'epoch', 'count', 'fence', 'nextDue', 'indexed')
local epoch = tenant[1] or '0'
local count = tonumber(tenant[2] or 0)
local fence = tonumber(tenant[3] or 0)
local nextDue = tonumber(tenant[4] or math.huge)
local indexed = tonumber(tenant[5] or math.huge)
local slotsKey = base .. 'slots:' .. epoch
local dueKey = base .. 'due:' .. epoch
