--[[
  Begins a session.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (limits/cap.lua); '' at first
  ARGV[4]  id of the session, 22 characters. If a session has it, this is a retry
  ARGV[5]  its token, 22 characters
  ARGV[6]  its requester
  ARGV[7]  how long it lasts, in ms

  Returns {'OK', quota, expiry in ms, id, token}. Or a refusal (frame/admission.lua).
]]
local charged = require('frame/charged')
local clock = require('frame/clock')
local flags = require('frame/flags')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')

-- A retry was charged at the first try.
local function cost()
  return flags.isRepeated and 0 or 1
end

local function carryOut(request)
  request.session = tenant.sessions.at(request.args[4])
  if not request.session then
    local why = terms.tooLong(tonumber(request.args[7]))
    if why then
      return { 'REFUSED', 'ttlSeconds ' .. why }
    end
    request.begun = 1
  end
end

local function complete(request)
  local args, reply, session = request.args, request.reply, request.session
  if not session then
    session = {
      id = args[4], token = args[5], requester = args[6], ttlMs = tonumber(args[7]), createdAt = clock.nowMs(),
      expiresAt = clock.nowMs() + args[7], label = tenant.keyLabel, isEnded = false,
    }
    tenant.sessions.put(session)
  end
  reply[3], reply[4], reply[5] = session.expiresAt, session.id, session.token
end

return charged({
  right = 'reserve', requestType = 'SESSION', indexArg = 3, mayBegin = true,
  cost = cost, carryOut = carryOut, complete = complete,
})
