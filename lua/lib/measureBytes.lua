--@rare
-- Measures what the tenant keeps in Redis (docs/specification.md#bytes-of-a-tenant).
--@include clock
--@include limits

-- Returns the bytes of everything that the tenant keeps: exact for keys of at most so many entries, and estimated from
-- as many for others. Drops the oldest entries of the history if they take more than a quarter of the tenant's limit.
local function measureBytes()
  local SAMPLES, HISTORY_SHARE = 3000, 0.25
  local function bytesOf(key)
    return redis.call('MEMORY', 'USAGE', key, 'SAMPLES', SAMPLES) or 0
  end

  local history, share = bytesOf(historyKey), limits.bytes * HISTORY_SHARE
  if history > share then
    redis.call('XTRIM', historyKey, 'MAXLEN', math.floor(redis.call('XLEN', historyKey) * share / history * 0.9))
    history = bytesOf(historyKey)
  end
  local total = history
  for _, key in ipairs({
    tenantKey, slotsKey, dueKey, poolsKey, definitionsKey, indexKey, ticketsKey, linesKey, waitsKey, sessionsKey,
    sessionHoldsKey, sessionsDueKey, answersKey,
  }) do
    total = total + bytesOf(key)
  end
  -- The remembered replies have keys of their own; their list counts them (once.lua).
  local first = string.match(redis.call('LINDEX', answersKey, 0) or '', '^%d+ (%d+)')
  local last = string.match(redis.call('LINDEX', answersKey, -1) or '', '^%d+ %d+ (%d+)')
  total = total + (first and last - first or 0)
  tenant.bytes = total
  redis.call('HSET', tenantKey, 'bytes', string.format('%.0f', total), 'measured', string.format('%.0f %.0f', total, nowMs))
  return total
end

-- Returns what the tenant keeps, in bytes, as it was at most a second ago, and at most 1/64 of the limit off. So no
-- caller makes this instance measure again and again.
local function bytesNow()
  local AGAIN_MS, STEPS = 1000, 64
  local measured, ms = string.match(redis.call('HGET', tenantKey, 'measured') or '', '^(%d+) (%d+)$')
  local isFresh = measured and nowMs - ms < AGAIN_MS and tenant.bytes - measured < limits.bytes / STEPS
  return isFresh and tonumber(measured) or measureBytes()
end
