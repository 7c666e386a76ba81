-- Verbs of sessions (sessions/sessions.lua).
local admission = require('frame/admission')
local charged = require('frame/charged')
local clock = require('frame/clock')
local quota = require('limits/quota')
local reading = require('frame/reading')
local sessions = require('sessions/sessions')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local texts = require('reservations/texts')
local verbs = {}

--[[ beginSession (ARGV[1] credential, ARGV[2] flags)
  Begins a session.

  ARGV[3]  id of the session, 22 characters. If a session has it, this is a retry
  ARGV[4]  its token, 22 characters
  ARGV[5]  its requester
  ARGV[6]  how long it lasts, in ms

  Returns {'OK', quota, expiry in ms, id, token}.
]]
local function find(request)
  request.session = tenant.sessions.at(request.args[3])
  if not request.session then
    local why = terms.tooLong(tonumber(request.args[6]))
    if why then
      return { 'REFUSED', 'ttlSeconds ' .. why }
    end
    request.begun = 1
  end
end

local function begin(request)
  local args, reply, session = request.args, request.reply, request.session
  if not session then
    session = {
      id = args[3], token = args[4], requester = args[5], ttlMs = tonumber(args[6]), createdAt = clock.nowMs(),
      expiresAt = clock.nowMs() + args[6], label = tenant.keyLabel, isEnded = false, isOver = false,
    }
    tenant.sessions.put(session)
  end
  reply[3], reply[4], reply[5] = session.expiresAt, session.id, session.token
end

verbs.beginSession = charged.verb({
  right = 'reserve', requestType = 'SESSION', makesDue = true, mayBegin = true,
  carryOut = find, complete = begin,
})

--[[ renewSession (ARGV[1] credential, ARGV[2] flags)
  Renews a session: it then lasts as long as it did when it began. Takes the same time however many reservations it has.

  ARGV[3]  id of the session
  ARGV[4]  its token; '' if the caller's is malformed
  ARGV[5]  the only requester that the caller may act for; '' any

  Returns {'OK', quota, 'RENEWED', expiry in ms} or {'OK', quota, 'NOT_FOUND', 0}.
]]
local function renew(request)
  local args, reply = request.args, request.reply
  local session = sessions.sessionFound(args[3], args[4], args[5])
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

verbs.renewSession = charged.verb({ right = 'reserve', requestType = 'SESSION', makesDue = true, carryOut = renew })

--[[ endSession (ARGV[1] credential, ARGV[2] flags)
  Ends a session: it is over, and the scripts that follow end its reservations (sessions/sessions.lua).

  ARGV[3]  id of the session
  ARGV[4]  its token; '' if the caller's is malformed
  ARGV[5]  the only requester that the caller may act for; '' any

  Returns {'OK', quota, 'ENDED', number of its reservations} or {'OK', quota, 'NOT_FOUND', 0}.
]]
local function finish(request)
  local args, reply = request.args, request.reply
  local session = sessions.sessionFound(args[3], args[4], args[5])
  reply[3], reply[4] = 'NOT_FOUND', 0
  if session and not tenant.foreign then
    reply[3], reply[4] = 'ENDED', tenant.sessions.holdsOf(session)
    session.expiresAt, session.isEnded, session.isOver = clock.nowMs(), true, true
    session.label, session.actor = tenant.keyLabel, admission.actorName(session.requester)
    tenant.sessions.put(session)
  end
end

verbs.endSession = charged.verb({ right = 'reserve', requestType = 'SESSION', isRemembered = true, carryOut = finish })

--[[ sessions (ARGV[1] credential, ARGV[2] reads)
  Returns one page of the tenant's sessions, unordered. A session that exists from the first page to the last is in at
  least one page. It can occur twice while the hash shrinks: the caller drops repeats.

  ARGV[3]  cursor returned with the previous page; '0' for the first page
  ARGV[4]  approximate number of sessions to read

  Returns {'OK', quota, cursor, number of the tenant's sessions, row, ...}. Cursor '0' means that this was the last
  page. A row is a text with a queue for each of: id, requester, lifetime in ms, begin in ms, expiry in ms, number of
  reservations, label of the key.
]]
verbs.sessions = reading.verb('read', function(keys, args)
  if not tenant.sessions then
    return { 'OK', quota.readsQuota, '0', 0 }
  end
  local reply = { 'OK', quota.readsQuota, '', sessions.count }
  reply[3] = reading.scan(keys.sessions, args[3], tonumber(args[4]), function(rows)
    for i = 1, #rows, 2 do
      local one = sessions.at(rows[i], rows[i + 1])
      local times = string.format('%.0f\n%.0f\n%.0f', one.ttlMs, one.createdAt, one.expiresAt)
      reply[#reply + 1] = { one.id, one.requester, times, sessions.holdsOf(one), one.label }
    end
  end)
  return texts.asTexts(reply, 5)
end)

return verbs
