--@rare
--@include tenant

-- Writes a line to Redis's log about an inconsistency that was found and repaired.
local function report(what)
  redis.log(redis.LOG_WARNING, 'Holdfast mended tenant ' .. tenant.base .. ' ' .. what)
end
