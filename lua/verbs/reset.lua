-- Verbs of a reset (docs/specification.md#reset).
local admission = require('frame/admission')
local answers = require('frame/answers')
local clock = require('frame/clock')
local codec = require('slots/codec')
local events = require('events/events')
local keys = require('frame/keys')
local quota = require('limits/quota')
local records = require('bookings/records')
local tenant = require('frame/tenant')
local verbs = {}

--[[ reset (ARGV[1] credential, ARGV[2] flags)
  Ends all reservations and tickets of the tenant in constant time. Sessions go on, without reservations, and so do
  bookings that do not run (bookings/records.lua): delayed ones are tried by the next call. The slots are
  put aside for the history, or Redis frees their memory in the background.

  ARGV[3]  if the service does it for somebody: the actor (frame/admission.lua); else ''

  Returns {'OK', quota, number of reservations ended, ms}: the number leaves out those that were already due; the sweep
  has to visit the tenant at that time, -1 never, for delayed bookings. Answers that are kept for other requests stay.
]]
-- Returns the number of reservations that are due and not ended yet.
local function countDue()
  local due = redis.call('ZCOUNT', keys.due, '-inf', clock.nowMs())
  if tenant.sessionsText then
    local ids = redis.call('ZRANGE', keys.sessionsDue, '-inf', clock.nowMs(), 'BYSCORE', 'LIMIT', 0, 100)
    for _, id in ipairs(ids) do
      due = due + redis.call('ZLEXCOUNT', keys.sessionHolds, '[' .. id .. '\n', '(' .. id .. '\11')
    end
  end
  return due
end

-- Puts the slots aside. keepReset writes the history of these. If those of an earlier reset are still
-- there, these get none.
local function putAside(resetBy)
  if tenant.limits.history > 0 and tenant.count > 0 and redis.call('RENAMENX', keys.slots, keys.resetSlots) == 1 then
    redis.call('HSET', keys.resetSlots, '\0', string.format('%.0f %s', clock.nowMs(), resetBy))
  end
end

local function removeAll(actor)
  local resetBy = actor or 'the service'
  putAside(resetBy)
  redis.call(
    'UNLINK', keys.slots, keys.due, keys.pools, keys.tickets, keys.queues, keys.waits, keys.sessionHolds, keys.clean
  )
  redis.call('HDEL', keys.tenant, 'queue', 'measured')
  tenant.setFlag(tenant.HAS_QUEUE, false)
  events.emit('RESET', { requestType = 'RESET', apiKeyLabel = tenant.keyLabel, actor = actor })
  local resets = redis.call('HGET', keys.tenant, 'resets') or '0'
  tenant.count, tenant.moreSlots = 0, 0
  tenant.nextDue = math.huge
  if records.areAny() then
    tenant.nextDue = clock.nowMs()
    records.markRetry('', true)
    records.write()
  end
  local by = string.format('%.0f\n%s', clock.nowMs(), resetBy)
  quota.book()
  events.publish({ 'resets', resets + 1, 'resetBy', by })
  -- Every instance with long polls ends them.
  for instance in string.gmatch(tenant.beats, '(%w+) %d+') do
    redis.call('SPUBLISH', tenant.base .. 'wake:' .. instance, '*\tRESET')
  end
end

function verbs.reset(_, args)
  local refused = admission.admit('reset') or answers.before(true) or quota.charge('RESET', 1)
  if refused then
    return refused
  end
  local reply = { 'OK', quota.text(), tenant.count - countDue() }
  removeAll(args[3] ~= '' and args[3] or admission.actorName())
  reply[2] = reply[2] .. (events.isKept and ' o' or '')
  reply[4] = tenant.nextDue < math.huge and tenant.nextDue or -1
  return answers.keep(reply, true)
end

--[[ keepReset
  Writes a piece of a reset into the history: a reset only puts the slots aside, since it takes constant time.

  ARGV[1]  a cursor: '0' at first, then the one that was returned
  ARGV[2]  entries that the history may have before this call. If it has more, nothing is done
  ARGV[3]  '1' to drop what is left instead

  Returns {'OK', the next cursor, number of entries written}. The cursor is '' once nothing is left, and as given if the
  history is full.
]]
function verbs.keepReset(_, args)
  local PIECE = 100
  local head = redis.call('HGET', keys.resetSlots, '\0')
  if not head or args[3] == '1' or tenant.limits.history == 0 then
    redis.call('UNLINK', keys.resetSlots)
    return { 'OK', '', 0 }
  elseif redis.call('XLEN', keys.history) > tonumber(args[2]) then
    return { 'OK', args[1], 0 }
  end
  local found = redis.call('HSCAN', keys.resetSlots, args[1], 'COUNT', PIECE)
  local cursor, rows, done, past = found[1], found[2], {}, {}
  for i = 1, #rows, 2 do
    local slot, packed = rows[i], rows[i + 1]
    if slot ~= '\0' then
      done[#done + 1] = slot
      -- A form of 1 is a slot that reservations hold along (slots/codec.lua).
      if string.byte(packed) ~= 1 then
        past[#past + 1] = 'X'
        past[#past + 1] = slot .. '\n' .. head .. '\n' .. codec.leanRecord(slot, packed)
      end
    end
  end
  for i = 1, #past, 20 do
    redis.call('XADD', keys.history, '*', unpack(past, i, math.min(i + 19, #past)))
  end
  for from = 1, #done, 1000 do
    redis.call('HDEL', keys.resetSlots, unpack(done, from, math.min(from + 999, #done)))
  end
  if cursor == '0' and redis.call('HLEN', keys.resetSlots) <= 1 then
    redis.call('UNLINK', keys.resetSlots)
    cursor = ''
  end
  redis.call('XTRIM', keys.history, 'MAXLEN', '~', tenant.limits.history)
  return { 'OK', cursor, #past / 2 }
end

return verbs
