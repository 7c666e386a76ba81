-- The tenant's quotas of writes and of reads, and how a request that exceeds a limit is refused. The window of a minute
-- begins with its first request; the window of a day is a day of UTC. Fields:
--   readsQuota   what is left of the quota of reads, if something was charged: the limit, the amount left and the
--                seconds until the window ends; '-1 0 0' if nothing was charged, or the tier has no limit
--   readsCharged the number of reads that the call has charged so far
local call = require('frame/call')
local clock = require('frame/clock')
local events = require('events/events')
local flags = require('frame/call').flags
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local quota = {}

local MINUTE_MS, DAY_MS, NO_LIMIT = 60000, 86400000, tenant.NO_LIMIT
local floor, format, max = math.floor, string.format, math.max
-- The open windows, with what this call has charged: when the minute began, in ms, and its writes; the day, and its
-- writes. minuteStart is nil until something is charged.
local minuteStart, minute, day, today

-- Returns the seconds from now until a time in ms.
local function secondsUntil(ms)
  return math.ceil((ms - clock.nowMs()) / 1000)
end

-- Returns the open windows as they are now.
local function windows()
  local now = clock.nowMs()
  local start, writes, thisDay = minuteStart or tenant.minuteStart, minute, floor(now / DAY_MS)
  if not minuteStart then
    writes = tenant.minute
    -- A failover can set Redis's clock back.
    if now >= start + MINUTE_MS or now < start then
      start, writes = now, 0
    end
    return start, writes, thisDay, thisDay == tenant.day and tenant.today or 0
  end
  return start, writes, day, today
end

-- Charges a request; requests of the service itself cost nothing. book() makes it last. Returns nil; or, if the request
-- exceeds the quota and nothing was charged, the type of the limit, the limit, the seconds until its window ends, and
-- the amount left.
function quota.exceeded(cost)
  if call.args[1] == '' then
    cost = 0
  end
  local start, writes, thisDay, writesOfDay = windows()
  local limits = tenant.limits
  local perMinute, perDay = limits.writesPerMinute, limits.writesPerDay
  if cost > 0 and writesOfDay + cost > perDay then
    return 'OperationsPerDay', perDay, secondsUntil((thisDay + 1) * DAY_MS), max(0, perDay - writesOfDay)
  elseif cost > 0 and writes + cost > perMinute then
    return 'OperationsPerMinute', perMinute, secondsUntil(start + MINUTE_MS), max(0, perMinute - writes)
  end
  minuteStart, minute, day, today = start, writes + cost, thisDay, writesOfDay + cost
end

-- Charges a request. Returns nil; or, if the request exceeds the quota, the reply that refuses it (refuse()).
function quota.charge(requestType, cost)
  local limitType, limit, retryAfterS, left = quota.exceeded(cost)
  return limitType and quota.refuse(requestType, limitType, limit, cost, retryAfterS, left) or nil
end

-- Puts what was charged into the tenant's numbers. commit() or pay() writes them.
function quota.book()
  tenant.minuteStart, tenant.minute, tenant.day, tenant.today = minuteStart, minute, day, today
end

-- Returns the writes in the open windows of a minute and of a day.
function quota.spent()
  return minute, today
end

local function textOf(limit, spent, leftMs)
  return limit == NO_LIMIT and '-1 0 0' or format('%d %d %d', limit, max(0, limit - spent), math.ceil(leftMs / 1000))
end

-- Returns the quota, a text of six integers. For the minute, then for the day: the limit (-1 none), the amount left,
-- the seconds until the window ends. Takes the limits, the open windows, and the time in ms.
function quota.textOf(limits, start, writes, thisDay, writesOfDay, nowMs)
  local perMinute, perDay = limits.writesPerMinute, limits.writesPerDay
  if perMinute == NO_LIMIT and perDay == NO_LIMIT then
    return '-1 0 0 -1 0 0'
  end
  return textOf(perMinute, writes, start + MINUTE_MS - nowMs) .. ' ' ..
    textOf(perDay, writesOfDay, (thisDay + 1) * DAY_MS - nowMs)
end

-- Returns the quota once something was charged.
function quota.text()
  return quota.textOf(tenant.limits, minuteStart, minute, day, today, clock.nowMs())
end

-- Commits the charge of a request that changes nothing else: whatever it has changed on paper is undone.
function quota.pay()
  tenant.undoNumbers()
  quota.book()
  tenant.save()
end

-- Emits the event of a request that was refused for a limit. Streams get at most one a second for each type of limit.
local function emitRefusal(requestType, limitType, limit)
  local field = 'told:' .. limitType
  if clock.nowMs() - tonumber(redis.call('HGET', keys.tenant, field) or 0) >= 1000 then
    events.emit('TIER_LIMIT_REACHED', {
      requestType = requestType, apiKeyLabel = tenant.keyLabel, limitType = limitType, limit = limit,
    })
    events.publish({ field, clock.nowMs() })
  end
end

-- Refuses a request that exceeds a limit of the tenant's tier. Takes the event's requestType (nil if none applies), the
-- type and value of the limit, the requested amount, the seconds to wait and, for a quota, the amount left. Returns
-- {'LIMIT', limitType, limit, tier, amount, retryAfterS, left}; left is -1 if it does not apply.
function quota.refuse(requestType, limitType, limit, amount, retryAfterS, left)
  if not flags.isDry and events.hasReaders then
    emitRefusal(requestType, limitType, limit)
  end
  return { 'LIMIT', limitType, limit, tenant.tier, amount, retryAfterS, left or -1 }
end

-- Returns the key of the counter of reads: each tier has one, and so have sign-in sessions in each tier
-- (src/redis/keys.ts).
function quota.readsCounter()
  return keys['reads' .. (tenant.tier or 'Enterprise')]
end

-- Charges reads to the tenant's quota. A window of a minute begins with its first read. Takes the number of reads, and
-- true if they are charged even if the quota is used up. Returns nil; or, if they do not fit and nothing was charged,
-- the arguments of refuse().
function quota.chargeReads(cost, isForced)
  local limit = tenant.limits.readsPerMinute
  if cost == 0 or limit == NO_LIMIT then
    return nil
  end
  local counter = quota.readsCounter()
  local spent, leftMs = redis.call('INCRBY', counter, cost), redis.call('PTTL', counter)
  if leftMs < 0 then
    leftMs = MINUTE_MS
    redis.call('PEXPIRE', counter, MINUTE_MS)
  end
  local leftS = math.ceil(leftMs / 1000)
  if spent > limit and not isForced then
    redis.call('DECRBY', counter, cost)
    return { 'READ', 'ReadsPerMinute', limit, cost, math.max(1, leftS), math.max(0, limit - spent + cost) }
  end
  quota.readsCharged = quota.readsCharged + cost
  quota.readsQuota = string.format('%d %d %d', limit, math.max(0, limit - spent), leftS)
end

function quota.begin()
  quota.readsQuota, quota.readsCharged, minuteStart = '-1 0 0', 0, nil
end

return quota
