-- Charges requests to the tenant's quota of writes. The window of a minute begins with its first request; the window of
-- a day is a day of UTC.
local call = require('frame/call')
local clock = require('frame/clock')
local events = require('events/events')
local flags = require('frame/flags')
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')
local quota = {}

local function quotaText(limit, spent, leftS)
  return limit == tenant.NO_LIMIT and '-1 0 0' or string.format('%d %d %d', limit, math.max(0, limit - spent), leftS)
end

-- Charges a request; requests of the service itself cost nothing. finish() or pay() commits the charge. Returns nil;
-- or, if the request exceeds the quota and nothing was charged, the arguments of refuse().
function quota.chargeOrMisfit(requestType, cost)
  local MINUTE_MS, DAY_MS = 60000, 86400000
  if call.args[1] == '' then
    cost = 0
  end
  local windowStart, thisMinute, day, today = unpack(tenant.usage)
  -- A failover can set Redis's clock back.
  if clock.nowMs() >= windowStart + MINUTE_MS or clock.nowMs() < windowStart then
    windowStart, thisMinute = clock.nowMs(), 0
  end
  local thisDay = math.floor(clock.nowMs() / DAY_MS)
  if thisDay ~= day then
    day, today = thisDay, 0
  end
  local minuteLeftS = math.ceil((windowStart + MINUTE_MS - clock.nowMs()) / 1000)
  local dayLeftS = math.ceil(((thisDay + 1) * DAY_MS - clock.nowMs()) / 1000)
  local perMinute, perDay = tenant.limits.writesPerMinute, tenant.limits.writesPerDay
  if cost > 0 and today + cost > perDay then
    return { requestType, 'OperationsPerDay', perDay, cost, dayLeftS, math.max(0, perDay - today) }
  elseif cost > 0 and thisMinute + cost > perMinute then
    return { requestType, 'OperationsPerMinute', perMinute, cost, minuteLeftS, math.max(0, perMinute - thisMinute) }
  end
  thisMinute, today = thisMinute + cost, today + cost
  quota.charged.thisMinute, quota.charged.today = thisMinute, today
  quota.charged.usage = { windowStart, thisMinute, day, today }
  quota.charged.quota = quotaText(perMinute, thisMinute, minuteLeftS) .. ' ' .. quotaText(perDay, today, dayLeftS)
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

-- Refuses a request that exceeds a limit of the tenant's tier. Streams get at most one event a second for each type of
-- limit.

-- Takes the event's requestType (nil if none applies), the type and value of the limit, the requested amount, the
-- seconds to wait and, for a quota, the amount left. Returns {'LIMIT', limitType, limit, tier, amount, retryAfterS,
-- left}; left is -1 if it does not apply.
function quota.refuse(requestType, limitType, limit, amount, retryAfterS, left)
  local field = 'told:' .. limitType
  if not flags.isDry and tenant.listenUntil > 0 and clock.nowMs() - tonumber(redis.call('HGET', keys.tenant, field) or 0) >= 1000 then
    events.emit('TIER_LIMIT_REACHED', {
      requestType = requestType, apiKeyLabel = tenant.keyLabel, limitType = limitType, limit = limit,
    })
    events.publish({ field, clock.nowMs() })
  end
  return { 'LIMIT', limitType, limit, tenant.tier, amount, retryAfterS, left or -1 }
end

-- Charges reads to the tenant's quota. A window of a minute begins with its first read. Each tier has a counter, and so
-- have sign-in sessions in each tier (src/redis/keys.ts).

function quota.readsCounter()
  return tenant.tier == 'Free' and keys.readsFree or tenant.tier == 'Starter' and keys.readsStarter or tenant.tier == 'Pro' and keys.readsPro or
    keys.readsEnterprise
end

-- Takes the number of reads, and true if they are charged even if the quota is used up. Returns nil; or, if they do not
-- fit and nothing was charged, the arguments of refuse() (limits/quota.lua).
function quota.chargeReads(cost, isForced)
  local limit = tenant.limits.readsPerMinute
  if cost == 0 or limit == tenant.NO_LIMIT then
    return nil
  end
  local MINUTE_MS = 60000
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
  -- The results of charge():
  --   usage              the writes to commit: when the minute began in ms, its writes, the day, its writes
  --   thisMinute, today  writes in the current windows
  --   quota              a text of six integers. For the minute, then for the day: the limit (-1 none), the amount
  --                      left, the seconds until the window ends
  quota.charged = {}
  -- What is left, if something was charged: the limit, the amount left and the seconds until the window ends; '-1 0 0'
  -- if nothing was charged, or the tier has no limit.
  quota.readsQuota = '-1 0 0'
  -- The number of reads that the script has charged so far.
  quota.readsCharged = 0
end

return quota
