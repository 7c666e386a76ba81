--[[
  Returns one page of the tenant's sessions, unordered. A session that exists from the first page to the last is in at
  least one page. It can occur twice while the hash shrinks: the caller drops repeats.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  number of reads to charge (limits/quota.lua)
  ARGV[3]  cursor returned with the previous page; '0' for the first page
  ARGV[4]  approximate number of sessions to read

  Returns {'OK', quota (limits/quota.lua), cursor, number of the tenant's sessions, row, ...}. Cursor '0' means that
  this was the last page. A row is a text with a line for each of: id, requester, lifetime in ms, begin in ms, expiry
  in ms, number of reservations, label of the key. Or a refusal (frame/admission.lua).
]]
local quota = require('limits/quota')
local reading = require('frame/reading')
local tenant = require('frame/tenant')
local texts = require('reservations/texts')

return function(keys, args)
  local refused = reading.read('read')
  if refused then
    return refused
  end
  local sessions = tenant.sessions
  if not sessions then
    return { 'OK', quota.readsQuota, '0', 0 }
  end
  local STEP = 25
  local reply, cursor, looked = { 'OK', quota.readsQuota, '', sessions.count }, args[3], 0
  repeat
    local page = redis.call('HSCAN', keys.sessions, cursor, 'COUNT', STEP)
    cursor = page[1]
    local rows = page[2]
    -- Scanning an empty part of the hash costs time too.
    looked = looked + math.max(STEP / 5, #rows / 2)
    for i = 1, #rows, 2 do
      local one = sessions.at(rows[i], rows[i + 1])
      local times = string.format('%.0f\n%.0f\n%.0f', one.ttlMs, one.createdAt, one.expiresAt)
      reply[#reply + 1] = { one.id, one.requester, times, sessions.holdsOf(one), one.label }
    end
  until cursor == '0' or looked >= tonumber(args[4])
  reply[3] = cursor
  return texts.asTexts(reply, 5)
end
