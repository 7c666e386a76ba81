-- Refuses a request that hits a limit of the tenant's tier. Subscribers get an event at most once a second for each
-- kind of limit.
--@include clock
--@include emit

-- Takes the event's requestType (nil if none applies), the limit, the amount that was asked for, the seconds to wait
-- and, for a quota, the amount left. Returns {'LIMIT', limitType, limit, tier, amount, retryAfterS, left}; left is -1
-- if it does not apply.
local function refuse(requestType, limitType, limit, amount, retryAfterS, left)
  local field = 'told:' .. limitType
  if tenant.listenUntil > 0 and nowMs - tonumber(redis.call('HGET', tenantKey, field) or 0) >= 1000 then
    emit('TIER_LIMIT_REACHED', {
      requestType = requestType, apiKeyLabel = tenant.keyLabel, limitType = limitType, limit = limit,
    })
    publish({ field, nowMs })
  end
  return { 'LIMIT', limitType, limit, tenant.tier, amount, retryAfterS, left or -1 }
end
