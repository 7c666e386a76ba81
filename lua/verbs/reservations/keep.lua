--[[
  Keeps the reply to a request with an Idempotency-Key that waited, if no script of its own could: its waits ended by
  what others did, or its items one after the other.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the first part of the reply, as the script of the request returns it after the quota

  Returns {'OK', quota}. Or a refusal (frame/admission.lua): then nothing is kept.
]]
local admission = require('frame/admission')
local answers = require('frame/answers')
local quota = require('limits/quota')

return function(_, args)
  local refused = admission.admit('reserve', {}) or answers.before() or quota.charge(nil, 0)
  if refused then
    return refused
  end
  local reply = { 'OK', quota.text() }
  for i = 3, #args do
    reply[i] = args[i]
  end
  answers.keep(reply)
  return { 'OK', quota.text() }
end
