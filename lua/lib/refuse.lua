--@rare
-- Refuses a request that exceeds a limit of the tenant's tier. Streams get at most one event a second for each type of
-- limit.
--@include clock
--@include emit

-- Takes the event's requestType (nil if none applies), the type and value of the limit, the requested amount, the
-- seconds to wait and, for a quota, the amount left. Returns {'LIMIT', limitType, limit, tier, amount, retryAfterS,
-- left}; left is -1 if it does not apply.
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
