--[[
  Moves a tenant in the expiry index after a sweep, unless its time there has changed since the sweep read it.

  KEYS[1]  shard of the index: a sorted set of tenants by ms

  ARGV[1]  tenant
  ARGV[2]  the tenant's time when the sweep read it, in ms
  ARGV[3]  ms: the next due time; -1: remove the tenant

  Returns nothing.
]]
return function(keys, args)
  if tonumber(redis.call('ZSCORE', keys.shard, args[1]) or -1) == tonumber(args[2]) then
    if args[3] == '-1' then
      redis.call('ZREM', keys.shard, args[1])
    else
      redis.call('ZADD', keys.shard, args[3], args[1])
    end
  end
end
