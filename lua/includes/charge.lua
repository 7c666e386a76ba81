-- The tenant's quota of writes (decisions, section 8): each window begins with the first request in it and lasts a minute; the
-- day is that of UTC. The script says before this what it costs, and for which requestType; it goes no further where that
-- does not fit. It is charged when the script commits or pays: a request that does not fit, or that another call will carry out,
-- costs nothing. What the service does by itself costs nothing either. Gives charged, the usage to commit, pay(), which writes it where nothing else is to be written, and quota, which the reply holds: six
-- integers in one text, for the minute and for the day the limit (-1 none), what is left of it and the seconds until it is whole again.
local MINUTE_MS, DAY_MS = 60000, 86400000
if ARGV[1] == '' then
  cost = 0
end
local windowStart, written, day, writtenToday = 0, 0, 0, 0
if usage then
  windowStart, written, day, writtenToday = struct.unpack('>I7I4I4I4', usage)
end
-- Redis's clock may have gone back, by a failover.
if nowMs >= windowStart + MINUTE_MS or nowMs < windowStart then
  windowStart, written = nowMs, 0
end
local today = math.floor(nowMs / DAY_MS)
if today ~= day then
  day, writtenToday = today, 0
end
local minuteLeftS = math.ceil((windowStart + MINUTE_MS - nowMs) / 1000)
local dayLeftS = math.ceil(((today + 1) * DAY_MS - nowMs) / 1000)
if writtenToday + cost > writesPerDay then
  return refuse(requestType, 'OperationsPerDay', writesPerDay, cost, dayLeftS)
elseif written + cost > writesPerMinute then
  return refuse(requestType, 'OperationsPerMinute', writesPerMinute, cost, minuteLeftS)
end
local charged = struct.pack('>I7I4I4I4', windowStart, written + cost, day, writtenToday + cost)
local function pay()
  redis.call('HSET', KEYS[1], 'usage', charged)
end
local function quotaOf(limit, spent, leftS)
  return limit == NO_LIMIT and '-1 0 0' or string.format('%d %d %d', limit, limit - spent - cost, leftS)
end
local quota = quotaOf(writesPerMinute, written, minuteLeftS) .. ' ' .. quotaOf(writesPerDay, writtenToday, dayLeftS)
