--[[
  Ends a session: it is due from now on, and the scripts that follow end its reservations (sessions/clear.lua).

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
  ARGV[3]  id of the session
  ARGV[4]  its token; '' if the caller's is malformed
  ARGV[5]  the only requester that the caller may act for; '' any

  Returns {'OK', quota, 'ENDED', number of its reservations} or {'OK', quota, 'NOT_FOUND', 0}. Or, with nothing changed:
  {'FORBIDDEN', message}, the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}. Or
  {'UNKNOWN'} if an earlier try ran and its reply was not kept. Or a reply of once.before() in once.lua.
]]
--@include actorName
--@include clock
--@include once
--@include requestOnce
--@include sessions/found
--@include waiting/open
local refused = requestOnce('reserve', 'SESSION', 1, {}, once)
if refused then
  return refused
end
local session = sessionFound(ARGV[3], ARGV[4], ARGV[5])
if tenant.foreign then
  return { 'FORBIDDEN', tenant.foreign }
end
local reply = { 'OK', charged.quota, 'NOT_FOUND', 0 }
if session then
  reply = { 'OK', charged.quota, 'ENDED', tenant.sessions.holdsOf(session) }
  session.expiresAt, session.isEnded = nowMs, true
  session.label, session.actor = tenant.keyLabel, actorName(session.requester)
  tenant.sessions.put(session)
end
finish(reply, charged.usage)
return once and once.keep(reply) or remember(reply)
