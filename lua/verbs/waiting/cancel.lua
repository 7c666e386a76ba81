--[[
  Stops waiting: ends every ticket of a requester whose request names a resource, and releases what was granted to such
  a ticket and not claimed yet.

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
  ARGV[3]  cursor returned by the last piece: the place of a requester, its ticket, and a digit for each item, 1 if it
           is
           CANCELLED; '' at first
  ARGV[4]  the first item (frame/items.lua)

  Returns {'OK', quota, cursor, 'CANCELLED' or 'NOT_WAITING', ...}, with a status for each item: what this piece of work
  and those before it did. With the cursor '' it was the last one. Or, with nothing changed: {'REFUSED', message}, the
  reply of refuse() in limits/quota.lua, {'FORBIDDEN', message}, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'} or {'AGAIN'}.
  Or {'UNKNOWN'} if an earlier try ran and its reply was not kept. Or a reply of once.before() in frame/idempotency.lua.
]]
local admission = require('frame/admission')
local answers = require('frame/answers')
local batch = require('frame/batch')
local committing = require('frame/commit')
local flags = require('frame/flags')
local frame = require('frame/frame')
local idempotency = require('frame/idempotency')
local itemForms = require('frame/items')
local quota = require('limits/quota')
local tenant = require('frame/tenant')
local waitingQueue = require('waiting/queue')
local work = require('frame/work')

return function(_, args)
  waitingQueue.prepare()
  local items = itemForms.readItems(4, itemForms.cancelItem)
  local refused = frame.requestOnce('reserve', 'WAIT', flags.isContinued and 0 or #items, items, idempotency.once)
  if refused then
    return refused
  end
  for _, item in ipairs(items) do
    if string.sub(args[1], 1, 8) == 'session:' and not admission.mayForce(item.requester) then
      return { 'FORBIDDEN', 'This needs the right "force", which this role does not have: others wait for it.' }
    end
  end
  if tenant.queueText and not tenant.queue then
    tenant.openQueue()
  end
  local reply = { 'OK', quota.charged.quota, '' }
  local first, after, cancelled = string.match(idempotency.once and idempotency.once.cursor or args[3], '^(%d+) (%x*) ([01]*)$')
  first = tonumber(first or 1)
  -- The tickets of a requester are walked once for all items that name it: placesOf[requester] is what these name.
  local requesters, placesOf = {}, {}
  local overBudget = batch.eachItem(items, function(item)
    local isCancelled = cancelled and string.sub(cancelled, #reply - 2, #reply - 2) == '1'
    reply[#reply + 1] = isCancelled and 'CANCELLED' or 'NOT_WAITING'
    local places = placesOf[item.requester]
    if tenant.queue and not places then
      places = {}
      placesOf[item.requester], requesters[#requesters + 1] = places, item.requester
    end
    if tenant.queue then
      tenant.queue.addPlace(places, item.resource, #reply)
    end
    work.spend(2)
  end)
  if overBudget then
    return work.tooMuch(overBudget)
  end
  local PIECE_WORK = 3000
  local limit = work.done + PIECE_WORK
  for n = first, #requesters do
    if n > first and work.done > limit then
      reply[3] = n .. ' '
      break
    end
    local cursor = tenant.queue.cancel(requesters[n], placesOf[requesters[n]], n == first and after or '', limit, function(place)
      reply[place] = 'CANCELLED'
    end)
    if cursor then
      reply[3] = n .. ' ' .. cursor
      break
    end
  end
  if reply[3] ~= '' then
    local digits = {}
    for i = 4, #reply do
      digits[i - 3] = reply[i] == 'CANCELLED' and '1' or '0'
    end
    reply[3] = reply[3] .. ' ' .. table.concat(digits)
  end
  committing.finish(reply, quota.charged.usage)
  if idempotency.once and reply[3] ~= '' then
    return idempotency.once.keepPiece(reply, reply[3])
  end
  return idempotency.once and idempotency.once.keep(reply) or answers.remember(reply)
end
