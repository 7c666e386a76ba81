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

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (limits/cap.lua); '' at first
  ARGV[4]  id of the session
  ARGV[5]  its token; '' if the caller's is malformed
  ARGV[6]  the only requester that the caller may act for; '' any

  Returns {'OK', quota, 'RENEWED', expiry in ms} or {'OK', quota, 'NOT_FOUND', 0}. Or, with nothing changed:
  {'FORBIDDEN', message}, {'REFUSED', message}, the reply of refuse() in limits/quota.lua, {'NO_KEY'}, {'SUSPENDED'},
  {'NO_TENANT'}, {'AGAIN'}, or {'INDEX', ms, swept} as in verbs/reservations/reserve.lua. Or a reply of once.before() in
  frame/idempotency.lua.
]]
local cap = require('limits/cap')
local clock = require('frame/clock')
local committing = require('frame/commit')
local flags = require('frame/flags')
local frame = require('frame/frame')
local idempotency = require('frame/idempotency')
local quota = require('limits/quota')
local sessions = require('sessions/sessions')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local waitingQueue = require('waiting/queue')

return function(_, args)
  waitingQueue.prepare()
  local refused = frame.request('SESSION', flags.isRepeated and 0 or 1, {}, idempotency.once)
  if refused then
    return refused
  end
  local session = sessions.sessionFound(args[4], args[5], args[6])
  if tenant.foreign then
    return { 'FORBIDDEN', tenant.foreign }
  elseif not session then
    local reply = committing.finish({ 'OK', quota.charged.quota, 'NOT_FOUND', 0 }, quota.charged.usage)
    return idempotency.once and idempotency.once.keep(reply) or reply
  end
  local fault = terms.tooLong(session.ttlMs)
  if fault then
    return { 'REFUSED', 'The ttlSeconds of the session ' .. fault }
  end
  session.expiresAt = clock.nowMs() + session.ttlMs
  tenant.sessions.put(session)
  refused = cap.askForIndex(args[3])
  if refused then
    return refused
  end
  local reply = committing.finish({ 'OK', quota.charged.quota, 'RENEWED', session.expiresAt }, quota.charged.usage)
  return idempotency.once and idempotency.once.keep(reply) or reply
end
