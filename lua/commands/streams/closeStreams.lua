--[[
  Gives back the leases of streams that have ended. Without any lease, scripts no longer emit events.

  KEYS[1]  tenant
  KEYS[2]  streams
  KEYS[3]  sessionStreams

  ARGV[1]  the first stream's id

  Returns nothing.
]]
for i = 1, #ARGV do
  redis.call('ZREM', streamsKey, ARGV[i])
  redis.call('ZREM', sessionStreamsKey, ARGV[i])
end
if redis.call('EXISTS', streamsKey, sessionStreamsKey) == 0 then
  redis.call('HDEL', tenantKey, 'listenUntil')
end
