--[[
  Ends all reservations and tickets of the tenant in constant time. Sessions go on, without reservations. The slots are
  put aside for the history, or Redis frees their memory in the background.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  tickets
  KEYS[7]  lines
  KEYS[8]  waits
  KEYS[9]  sessionHolds
  KEYS[10]  sessionsDue
  KEYS[11]  resetSlots
  KEYS[12]  answer
  KEYS[13]  answers

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  flags of the request (flags.lua)
  ARGV[3]  if the service does it for somebody: the actor (actorName.lua); else ''

  Returns {'OK', quota, number of reservations ended}, not counting reservations that were already due. Or {'UNKNOWN'}
  if an earlier try ran and its reply was not kept. Or the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'},
  {'NO_TENANT'}. Or a reply of once.before() in once.lua. Answers that are kept for other requests stay.
]]
--@include clock
--@include actorName
--@include admit
--@include answers
--@include once
--@include quota
local refused = admit('reset')
if not refused and once then
  refused = once.before()
elseif not refused then
  refused = answerBefore()
end
refused = refused or charge('RESET', 1)
if refused then
  return refused
end
local due = redis.call('ZCOUNT', dueKey, '-inf', nowMs)
for _, id in ipairs(tenant.sessionsText and redis.call('ZRANGE', sessionsDueKey, '-inf', nowMs, 'BYSCORE', 'LIMIT', 0, 100) or {}) do
  due = due + redis.call('ZLEXCOUNT', sessionHoldsKey, '[' .. id .. '\n', '(' .. id .. '\11')
end
local reply = { 'OK', charged.quota, tenant.count - due }
local actor = ARGV[3] ~= '' and ARGV[3] or actorName()
if limits.history > 0 and tenant.count > 0 and redis.call('RENAMENX', slotsKey, resetSlotsKey) == 1 then
  -- keepReset.lua writes the history of these. If those of an earlier reset are still there, these get none.
  redis.call('HSET', resetSlotsKey, '\0', string.format('%.0f %s', nowMs, actor or 'the service'))
end
redis.call('UNLINK', slotsKey, dueKey, poolsKey, ticketsKey, linesKey, waitsKey, sessionHoldsKey)
redis.call('HDEL', tenantKey, 'queue', 'measured')
emit('RESET', { requestType = 'RESET', apiKeyLabel = tenant.keyLabel, actor = actor })
local resets = redis.call('HGET', tenantKey, 'resets') or '0'
publish({
  'resets', resets + 1, 'resetBy', string.format('%.0f\n%s', nowMs, actor or 'the service'), 'count', 0, 'further', 0, 'nextDue', math.huge,
  'usage', charged.usage,
})
-- Every instance that holds calls ends them.
for instance in string.gmatch(tenant.beats, '(%w+) %d+') do
  redis.call('SPUBLISH', tenant.base .. 'wake:' .. instance, '*\tRESET')
end
return once and once.keep(reply) or remember(reply)
