-- The tenant's quotas of writes and of reads, and how a request that exceeds a limit is refused. The window of a minute
-- begins with its first request; the window of a day is a day of UTC. Fields:
--   charged      the results of charge():
--     usage              the writes to commit: when the minute began in ms, its writes, the day, its writes
--     thisMinute, today  writes in the current windows
--     quota              a text of six integers. For the minute, then for the day: the limit (-1 none), the amount
--                        left, the seconds until the window ends
--   readsQuota   what is left of the quota of reads, if something was charged: the limit, the amount left and the
--                seconds until the window ends; '-1 0 0' if nothing was charged, or the tier has no limit
--   readsCharged the number of reads that the call has charged so far
local call = require('frame/call')
local clock = require('frame/clock')
local events = require('events/events')
local flags = require('frame/flags')
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')
local quota = {}

local MINUTE_MS, DAY_MS = 60000, 86400000

-- Returns the seconds from now until a time in ms.
local function secondsUntil(ms)
  return math.ceil((ms - clock.nowMs()) / 1000)
end

local function quotaText(limit, spent, endMs)
  return limit == tenant.NO_LIMIT and '-1 0 0' or
    string.format('%d %d %d', limit, math.max(0, limit - spent), secondsUntil(endMs))
end

-- Returns the start of the open window of a minute, the writes in it, the day and the writes of the day.
local function openWindows()
  local now = clock.nowMs()
  local start, thisMinute, day, today = unpack(tenant.usage)
  -- A failover can set Redis's clock back.
  if now >= start + MINUTE_MS or now < start then
    start, thisMinute = now, 0
  end
  local thisDay = math.floor(now / DAY_MS)
  return start, thisMinute, thisDay, thisDay == day and today or 0
end

-- Charges a request; requests of the service itself cost nothing. finish() or pay() commits the charge. Returns nil;
-- or, if the request exceeds the quota and nothing was charged, the arguments of refuse().
function quota.chargeOrMisfit(requestType, cost)
  if call.args[1] == '' then
    cost = 0
  end
  local start, thisMinute, day, today = openWindows()
  local limits, minuteEnd, dayEnd = tenant.limits, start + MINUTE_MS, (day + 1) * DAY_MS
  local perMinute, perDay = limits.writesPerMinute, limits.writesPerDay
  if cost > 0 and today + cost > perDay then
    return { requestType, 'OperationsPerDay', perDay, cost, secondsUntil(dayEnd), math.max(0, perDay - today) }
  elseif cost > 0 and thisMinute + cost > perMinute then
    local left = math.max(0, perMinute - thisMinute)
    return { requestType, 'OperationsPerMinute', perMinute, cost, secondsUntil(minuteEnd), left }
  end
  thisMinute, today = thisMinute + cost, today + cost
  local charged = quota.charged
  charged.thisMinute, charged.today = thisMinute, today
  charged.usage = { start, thisMinute, day, today }
  charged.quota = quotaText(perMinute, thisMinute, minuteEnd) .. ' ' .. quotaText(perDay, today, dayEnd)
end

-- The same, but returns the reply of refuse() if the request exceeds the quota.
function quota.charge(requestType, cost)
  local misfit = quota.chargeOrMisfit(requestType, cost)
  return misfit and quota.refuse(unpack(misfit))
end

-- Commits the charge of a request that changes nothing else.
function quota.pay()
  tenantRecord.saveTenant({}, quota.charged.usage)
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
  if not flags.isDry and tenant.listenUntil > 0 then
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
  if cost == 0 or limit == tenant.NO_LIMIT then
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
  quota.charged, quota.readsQuota, quota.readsCharged = {}, '-1 0 0', 0
end

return quota
