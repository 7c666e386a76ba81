--[[
  Deletes the leases of streams that have ended. When no lease is left, scripts stop emitting events.

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
