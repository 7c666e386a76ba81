-- The tenant's quota of writes: each window begins with the first request in it and lasts a minute; the day is that of
-- UTC.
--@include refuse
local MINUTE_MS, DAY_MS = 60000, 86400000
local windowStart, written, day, writtenToday = 0, 0, 0, 0
-- charged: the usage to commit. quota: six integers in one text, for the minute and for the day: the limit (-1 none),
-- what is left of it and the seconds until it is whole again.
local charged, quota

local function quotaOf(limit, spent, leftS)
  return limit == NO_LIMIT and '-1 0 0' or string.format('%d %d %d', limit, math.max(0, limit - spent), leftS)
end

-- Charges a request. What the service does by itself costs nothing. The charge takes effect with commit() or pay(): a
-- request that does not fit, or that another call will carry out, costs nothing. Returns nil, or what refuse() returns
-- if it does not fit.
local function charge(requestType, cost)
  if ARGV[1] == '' then
    cost = 0
  end
  if usage then
    windowStart, written, day, writtenToday = struct.unpack('>I7I4I4I4', usage)
  end
  -- A failover can set Redis's clock back.
  if nowMs >= windowStart + MINUTE_MS or nowMs < windowStart then
    windowStart, written = nowMs, 0
  end
  local today = math.floor(nowMs / DAY_MS)
  if today ~= day then
    day, writtenToday = today, 0
  end
  local minuteLeftS = math.ceil((windowStart + MINUTE_MS - nowMs) / 1000)
  local dayLeftS = math.ceil(((today + 1) * DAY_MS - nowMs) / 1000)
  if cost > 0 and writtenToday + cost > writesPerDay then
    return refuse(requestType, 'OperationsPerDay', writesPerDay, cost, dayLeftS, math.max(0, writesPerDay - writtenToday))
  elseif cost > 0 and written + cost > writesPerMinute then
    return refuse(requestType, 'OperationsPerMinute', writesPerMinute, cost, minuteLeftS, math.max(0, writesPerMinute - written))
  end
  written, writtenToday = written + cost, writtenToday + cost
  charged = struct.pack('>I7I4I4I4', windowStart, written, day, writtenToday)
  quota = quotaOf(writesPerMinute, written, minuteLeftS) .. ' ' .. quotaOf(writesPerDay, writtenToday, dayLeftS)
end

-- Writes the charge of a request that changes nothing else.
local function pay()
  redis.call('HSET', tenantKey, 'usage', charged)
end
