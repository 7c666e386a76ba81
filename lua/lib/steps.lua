-- The phases of a change of definitions. With a database, a change takes three steps:
--   plan    a script charges the change, and refuses it if it is not possible; replan does the same without a charge
--           the instance writes the change to the database, if its definitions still have the planned version
--   apply   a script makes the change, if the definitions in Redis still have the planned version
-- Without a database, one step (now) does all.
--@include tenant

-- Returns true if an apply finds another version than the planned one. The caller then copies the definitions from the
-- database. Also cancels a copy that is in progress, since it may have read the definitions before this change.
local function isStale(phase, version)
  local current = redis.call('HGET', tenantKey, 'definitionsVersion')
  return phase == 'apply' and (redis.call('DEL', copyingKey) == 1 or current ~= version)
end
