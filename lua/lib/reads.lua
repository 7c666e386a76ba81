-- Charges reads to the tenant's quota. A window of a minute begins with its first read. Each tier has a counter, and so
-- have sign-in sessions in each tier (src/redis/keys.ts).
--@include limits
-- What is left, if something was charged: the limit, the amount left and the seconds until the window ends; '-1 0 0' if
-- nothing was charged, or the tier has no limit.
local readsQuota = '-1 0 0'
-- The number of reads that the script has charged so far.
local readsCharged = 0

local function readsCounter()
  return tier == 'Free' and readsFreeKey or tier == 'Starter' and readsStarterKey or tier == 'Pro' and readsProKey or
    readsEnterpriseKey
end

-- Takes the number of reads, and true if they are charged even if the quota is used up. Returns nil; or, if they do not
-- fit and nothing was charged, the arguments of refuse() (refuse.lua).
local function chargeReads(cost, isForced)
  local limit = limits.readsPerMinute
  if cost == 0 or limit == NO_LIMIT then
    return nil
  end
  local MINUTE_MS = 60000
  local counter = readsCounter()
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
  readsCharged = readsCharged + cost
  readsQuota = string.format('%d %d %d', limit, math.max(0, limit - spent), leftS)
end
