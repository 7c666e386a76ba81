--[[
  Renews a session: it then lasts as long as it did when it began. Takes the same time however many reservations it has.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (limits/cap.lua); '' at first
  ARGV[4]  id of the session
  ARGV[5]  its token; '' if the caller's is malformed
  ARGV[6]  the only requester that the caller may act for; '' any

  Returns {'OK', quota, 'RENEWED', expiry in ms} or {'OK', quota, 'NOT_FOUND', 0}. Or a refusal (frame/admission.lua).
]]
local charged = require('frame/charged')
local clock = require('frame/clock')
local flags = require('frame/flags')
local sessions = require('sessions/sessions')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')

-- A retry was charged at the first try.
local function cost()
  return flags.isRepeated and 0 or 1
end

local function carryOut(request)
  local args, reply = request.args, request.reply
  local session = sessions.sessionFound(args[4], args[5], args[6])
  reply[3], reply[4] = 'NOT_FOUND', 0
  if tenant.foreign or not session then
    return nil
  end
  local why = terms.tooLong(session.ttlMs)
  if why then
    return { 'REFUSED', 'The ttlSeconds of the session ' .. why }
  end
  session.expiresAt = clock.nowMs() + session.ttlMs
  tenant.sessions.put(session)
  reply[3], reply[4] = 'RENEWED', session.expiresAt
end

return charged({
  right = 'reserve', requestType = 'SESSION', indexArg = 3, cost = cost, carryOut = carryOut,
})
