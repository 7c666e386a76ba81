--[[
  Begins a session.

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
  ARGV[4]  id of the session, 22 characters. If a session has it, this is a retry
  ARGV[5]  its token, 22 characters
  ARGV[6]  its requester
  ARGV[7]  how long it lasts, in ms

  Returns {'OK', quota, expiry in ms, id, token}. Or a reply of once.before() in once.lua. Or, with nothing changed:
  {'REFUSED', message}, the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}, or
  {'INDEX', ms, swept} as in reserve.lua.
]]
--@include clock
--@include once
--@include request
--@include flags
--@include cap
--@include stateBefore
--@include index
--@include terms
tenant.mayBegin = true
--@include waiting/open
local refused = request('SESSION', flags.isRepeated and 0 or 1, {}, once)
if refused then
  return refused
end
local session = tenant.sessions.at(ARGV[4])
if not session then
  local fault = tenant.tooLong and tenant.tooLong(tonumber(ARGV[7]))
  if fault then
    return { 'REFUSED', 'ttlSeconds ' .. fault }
  end
  refused = overCap('SESSION', stateBefore(), 1)
  if refused then
    return refused
  end
  session = {
    id = ARGV[4], token = ARGV[5], requester = ARGV[6], ttlMs = tonumber(ARGV[7]), createdAt = nowMs,
    expiresAt = nowMs + ARGV[7], label = tenant.keyLabel, isEnded = false,
  }
  tenant.sessions.put(session)
end
refused = askForIndex(ARGV[3])
if refused then
  return refused
end
local reply = finish({ 'OK', charged.quota, session.expiresAt, session.id, session.token }, charged.usage)
return once and once.keep(reply) or reply
