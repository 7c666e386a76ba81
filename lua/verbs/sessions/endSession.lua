--[[
  Ends a session: it is due from now on, and the scripts that follow end its reservations (sessions/sessions.lua).

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  id of the session
  ARGV[4]  its token; '' if the caller's is malformed
  ARGV[5]  the only requester that the caller may act for; '' any

  Returns {'OK', quota, 'ENDED', number of its reservations} or {'OK', quota, 'NOT_FOUND', 0}. Or a refusal
  (frame/admission.lua).
]]
local admission = require('frame/admission')
local charged = require('frame/charged')
local clock = require('frame/clock')
local sessions = require('sessions/sessions')
local tenant = require('frame/tenant')

local function cost()
  return 1
end

local function carryOut(request)
  local args, reply = request.args, request.reply
  local session = sessions.sessionFound(args[3], args[4], args[5])
  reply[3], reply[4] = 'NOT_FOUND', 0
  if session and not tenant.foreign then
    reply[3], reply[4] = 'ENDED', tenant.sessions.holdsOf(session)
    session.expiresAt, session.isEnded = clock.nowMs(), true
    session.label, session.actor = tenant.keyLabel, admission.actorName(session.requester)
    tenant.sessions.put(session)
  end
end

return charged({
  right = 'reserve', requestType = 'SESSION', isRemembered = true, cost = cost, carryOut = carryOut,
})
