-- The steps of a change of definitions. With a database, there are three: a script plans the change, which charges it
-- and refuses it if it is not possible; the instance writes it to the database, if that has the definitions in the same
-- version; and a script applies it, likewise. To replan is to plan again without a charge. Without a database, one step
-- does it: now.
--@include tenant

-- True if the planned version is no longer the current one. Also cancels a copy from the database that is in progress,
-- since it may have read the definitions before this change.
local function isStale(phase, version)
  return phase == 'apply' and (redis.call('DEL', copyingKey) == 1 or tenant.definitionsVersion ~= version)
end
