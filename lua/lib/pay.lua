-- Commits the charge of a request that changes nothing else.
--@include quota
local function pay()
  redis.call('HSET', tenantKey, 'usage', charged.usage)
end
