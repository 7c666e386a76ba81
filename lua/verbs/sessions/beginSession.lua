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

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (limits/cap.lua); '' at first
  ARGV[4]  id of the session, 22 characters. If a session has it, this is a retry
  ARGV[5]  its token, 22 characters
  ARGV[6]  its requester
  ARGV[7]  how long it lasts, in ms

  Returns {'OK', quota, expiry in ms, id, token}. Or a reply of once.before() in frame/idempotency.lua. Or, with nothing
  changed: {'REFUSED', message}, the reply of refuse() in limits/quota.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'},
  {'AGAIN'}, or {'INDEX', ms, swept} as in verbs/reservations/reserve.lua.
]]
local cap = require('limits/cap')
local clock = require('frame/clock')
local committing = require('frame/commit')
local flags = require('frame/flags')
local frame = require('frame/frame')
local idempotency = require('frame/idempotency')
local quota = require('limits/quota')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local waitingQueue = require('waiting/queue')

return function(_, args)
  tenant.mayBegin = true
  waitingQueue.prepare()
  local refused = frame.request('SESSION', flags.isRepeated and 0 or 1, {}, idempotency.once)
  if refused then
    return refused
  end
  local session = tenant.sessions.at(args[4])
  if not session then
    local fault = terms.tooLong(tonumber(args[7]))
    if fault then
      return { 'REFUSED', 'ttlSeconds ' .. fault }
    end
    refused = cap.overCap('SESSION', frame.stateBefore(), 1)
    if refused then
      return refused
    end
    session = {
      id = args[4], token = args[5], requester = args[6], ttlMs = tonumber(args[7]), createdAt = clock.nowMs(),
      expiresAt = clock.nowMs() + args[7], label = tenant.keyLabel, isEnded = false,
    }
    tenant.sessions.put(session)
  end
  refused = cap.askForIndex(args[3])
  if refused then
    return refused
  end
  local reply = committing.finish({ 'OK', quota.charged.quota, session.expiresAt, session.id, session.token }, quota.charged.usage)
  return idempotency.once and idempotency.once.keep(reply) or reply
end
