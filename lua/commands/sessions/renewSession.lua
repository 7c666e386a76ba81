--[[
  Renews a session: it then lasts as long as it did when it began. Takes the same time however many reservations it has.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  tickets
  KEYS[8]  lines
  KEYS[9]  waits
  KEYS[10]  sessions
  KEYS[11]  sessionHolds
  KEYS[12]  sessionsDue
  KEYS[13]  index
  KEYS[14]  history
  KEYS[15]  answer
  KEYS[16]  answers

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  flags of the request (flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (index.lua); '' at first
  ARGV[4]  id of the session
  ARGV[5]  its token; '' if the caller's is malformed
  ARGV[6]  the only requester that the caller may act for; '' any

  Returns {'OK', quota, 'RENEWED', expiry in ms} or {'OK', quota, 'NOT_FOUND', 0}. Or, with nothing changed:
  {'FORBIDDEN', message}, {'REFUSED', message}, the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}, or
  {'INDEX', ms, swept} as in reserve.lua. Or a reply of once.before() in once.lua.
]]
--@include clock
--@include once
--@include request
--@include flags
--@include index
--@include terms
--@include sessions/found
--@include waiting/open
local refused = request('SESSION', flags.isRepeated and 0 or 1, {}, once)
if refused then
  return refused
end
local session = sessionFound(ARGV[4], ARGV[5], ARGV[6])
if tenant.foreign then
  return { 'FORBIDDEN', tenant.foreign }
elseif not session then
  local reply = finish({ 'OK', charged.quota, 'NOT_FOUND', 0 }, charged.usage)
  return once and once.keep(reply) or reply
end
local fault = tenant.tooLong and tenant.tooLong(session.ttlMs)
if fault then
  return { 'REFUSED', 'The ttlSeconds of the session ' .. fault }
end
session.expiresAt = nowMs + session.ttlMs
tenant.sessions.put(session)
refused = askForIndex(ARGV[3])
if refused then
  return refused
end
local reply = finish({ 'OK', charged.quota, 'RENEWED', session.expiresAt }, charged.usage)
return once and once.keep(reply) or reply
