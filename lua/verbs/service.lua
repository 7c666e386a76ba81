-- Verbs that work on no tenant: whether Redis takes writes, and the index of tenants that have something due.
local verbs = {}

--[[ probe
  Proves that this server runs scripts and accepts writes. PING does not: after a failover, a replica still answers it.

  Returns 'OK'.
]]
function verbs.probe(keys)
  redis.call('SET', keys.probe, '1', 'PX', 10000)
  return 'OK'
end

--[[ lowerDueIndex
  Makes sure that the due slotNumber has a tenant at or before a time. An existing entry is always lowered, by at least
  1 ms: raiseDueIndex compares the time, so a sweep that is about to raise the entry then leaves it.

  ARGV[1]  tenant
  ARGV[2]  ms

  Returns nothing.
]]
function verbs.lowerDueIndex(keys, args)
  local old = redis.call('ZSCORE', keys.shard, args[1])
  redis.call('ZADD', keys.shard, old and math.min(old - 1, args[2]) or args[2], args[1])
end

--[[ raiseDueIndex
  Moves a tenant in the due slotNumber after a sweep, unless its time there has changed since the sweep read it.

  ARGV[1]  tenant
  ARGV[2]  the tenant's time when the sweep read it, in ms
  ARGV[3]  ms: the next due time; -1: remove the tenant

  Returns nothing.
]]
function verbs.raiseDueIndex(keys, args)
  if tonumber(redis.call('ZSCORE', keys.shard, args[1]) or -1) == tonumber(args[2]) then
    if args[3] == '-1' then
      redis.call('ZREM', keys.shard, args[1])
    else
      redis.call('ZADD', keys.shard, args[3], args[1])
    end
  end
end

return verbs
