-- Tells of a limit that was hit, at most once a second for each kind of limit (decisions, section 7), and publishes that at once:
-- nothing else has changed.
local function tellLimit(requestType, limitType, limit)
  local field = 'told:' .. limitType
  if listening and nowMs - tonumber(redis.call('HGET', KEYS[1], field) or 0) >= 1000 then
    redis.call('HSET', KEYS[1], field, nowMs)
    tell('TIER_LIMIT_REACHED', requestType, nil, nil, nil, nil, keyLabel, nil, nil, limitType, limit)
    publish()
  end
end
