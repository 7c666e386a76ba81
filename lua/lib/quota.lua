-- Charges requests to the tenant's quota of writes. The window of a minute begins with its first request; the window of
-- a day is a day of UTC.
--@include clock
--@include limits
--@include refuse
-- The results of charge():
--   usage              the packed value to commit
--   thisMinute, today  writes in the current windows
--   quota              a text of six integers. For the minute, then for the day: the limit (-1 none), the amount left,
--                      the seconds until the window ends
local charged = {}

local function quotaText(limit, spent, leftS)
  return limit == NO_LIMIT and '-1 0 0' or string.format('%d %d %d', limit, math.max(0, limit - spent), leftS)
end

-- Charges a request; requests of the service itself cost nothing. finish() or pay() commits the charge. Returns nil;
-- or, if the request exceeds the quota and nothing was charged, the arguments of refuse().
local function chargeOrMisfit(requestType, cost)
  local MINUTE_MS, DAY_MS = 60000, 86400000
  if ARGV[1] == '' then
    cost = 0
  end
  local windowStart, thisMinute, day, today = 0, 0, 0, 0
  if tenant.usage then
    windowStart, thisMinute, day, today = struct.unpack('>I7I4I4I4', tenant.usage)
  end
  -- A failover can set Redis's clock back.
  if nowMs >= windowStart + MINUTE_MS or nowMs < windowStart then
    windowStart, thisMinute = nowMs, 0
  end
  local thisDay = math.floor(nowMs / DAY_MS)
  if thisDay ~= day then
    day, today = thisDay, 0
  end
  local minuteLeftS = math.ceil((windowStart + MINUTE_MS - nowMs) / 1000)
  local dayLeftS = math.ceil(((thisDay + 1) * DAY_MS - nowMs) / 1000)
  local perMinute, perDay = limits.writesPerMinute, limits.writesPerDay
  if cost > 0 and today + cost > perDay then
    return { requestType, 'OperationsPerDay', perDay, cost, dayLeftS, math.max(0, perDay - today) }
  elseif cost > 0 and thisMinute + cost > perMinute then
    return { requestType, 'OperationsPerMinute', perMinute, cost, minuteLeftS, math.max(0, perMinute - thisMinute) }
  end
  thisMinute, today = thisMinute + cost, today + cost
  charged.thisMinute, charged.today = thisMinute, today
  charged.usage = struct.pack('>I7I4I4I4', windowStart, thisMinute, day, today)
  charged.quota = quotaText(perMinute, thisMinute, minuteLeftS) .. ' ' .. quotaText(perDay, today, dayLeftS)
end

-- The same, but returns the reply of refuse() if the request exceeds the quota.
local function charge(requestType, cost)
  local misfit = chargeOrMisfit(requestType, cost)
  return misfit and refuse(unpack(misfit))
end
