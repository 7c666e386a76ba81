-- Builds the reply of a request that hits a limit of the tenant's tier, and tells subscribers at most once a second for
-- each kind of limit.
--@include publish

-- Takes the event's requestType (nil if none applies), the limit, how much of it was asked for, the seconds to wait
-- and, for a quota, how much of it is left. Returns {'LIMIT', limitType, limit, tier, asked, retryAfterS, left}; left
-- is -1 if it does not apply.
local function refuse(requestType, limitType, limit, asked, retryAfterS, left)
  local field = 'told:' .. limitType
  if listenUntil > 0 and nowMs - tonumber(redis.call('HGET', tenantKey, field) or 0) >= 1000 then
    emit('TIER_LIMIT_REACHED', {
      requestType = requestType, apiKeyLabel = keyLabel, limitType = limitType, limit = limit,
    })
    publish({ field, nowMs })
  end
  return { 'LIMIT', limitType, limit, tier, asked, retryAfterS, left or -1 }
end
