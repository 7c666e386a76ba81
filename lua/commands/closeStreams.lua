--[[
  Gives back the leases of streams that have ended. With the last of them, events are no longer built.

  KEYS[1]  the tenant's hash

  ARGV[1]  the first of one for each stream: its id

  Returns nothing.
]]
local base = string.sub(KEYS[1], 1, -7)
for i = 1, #ARGV do
  redis.call('ZREM', base .. 'streams', ARGV[i])
  redis.call('ZREM', base .. 'sessionStreams', ARGV[i])
end
if redis.call('EXISTS', base .. 'streams', base .. 'sessionStreams') == 0 then
  redis.call('HDEL', KEYS[1], 'listenUntil')
end
