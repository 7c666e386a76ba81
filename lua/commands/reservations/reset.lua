--[[
  Ends all reservations and tickets of the tenant in constant time. Redis frees their memory in the background.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  tickets
  KEYS[7]  lines
  KEYS[8]  waits
  KEYS[9]  answer

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  flags of the request (flags.lua)

  Returns {'OK', quota, number of reservations ended}, not counting reservations that were already due. Or {'UNKNOWN'}
  if an earlier try ran and its reply was not kept. Or the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'},
  {'NO_TENANT'}.
]]
--@include clock
--@include admit
--@include answers
--@include quota
local refused = admit() or answerBefore() or charge('RESET', 1)
if refused then
  return refused
end
local due = redis.call('ZCOUNT', dueKey, '-inf', nowMs)
local reply = remember({ 'OK', charged.quota, tenant.count - due })
redis.call('UNLINK', slotsKey, dueKey, poolsKey, ticketsKey, linesKey, waitsKey)
redis.call('HDEL', tenantKey, 'queue')
emit('RESET', { requestType = 'RESET', apiKeyLabel = tenant.keyLabel })
publish({ 'resets', tenant.resets + 1, 'count', 0, 'further', 0, 'nextDue', math.huge, 'usage', charged.usage })
-- Every instance that holds calls ends them.
for instance in string.gmatch(tenant.beats, '(%w+) %d+') do
  redis.call('SPUBLISH', tenant.base .. 'wake:' .. instance, '*\tRESET')
end
return reply
