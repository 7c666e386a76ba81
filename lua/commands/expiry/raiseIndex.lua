--[[
  Moves a tenant in the expiry index after a sweep, unless its time there has changed since the sweep read it.

  KEYS[1]  shard of the index: a sorted set of tenants by ms

  ARGV[1]  tenant
  ARGV[2]  the tenant's time when the sweep read it, in ms
  ARGV[3]  ms: the next due time; -1: remove the tenant

  Returns nothing.
]]
if tonumber(redis.call('ZSCORE', shardKey, ARGV[1]) or -1) == tonumber(ARGV[2]) then
  if ARGV[3] == '-1' then
    redis.call('ZREM', shardKey, ARGV[1])
  else
    redis.call('ZADD', shardKey, ARGV[3], ARGV[1])
  end
end
