-- The answer where a limit of the tenant's tier is hit. Tells of it too, at most once a second for each kind of limit (decisions,
-- section 7), and publishes that at once: nothing else is to be told. Takes the event's requestType, nil where none applies,
-- what was asked for at once, and the seconds to wait.
local function refuse(requestType, limitType, limit, asked, retryAfterS)
  local field = 'told:' .. limitType
  if listenUntil > 0 and nowMs - tonumber(redis.call('HGET', KEYS[1], field) or 0) >= 1000 then
    redis.call('HSET', KEYS[1], field, nowMs)
    tell('TIER_LIMIT_REACHED', requestType, nil, nil, nil, nil, keyLabel, nil, nil, limitType, limit)
    publish()
  end
  return { 'LIMIT', limitType, limit, tier, asked, retryAfterS }
end
