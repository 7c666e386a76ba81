-- Verbs of requests that wait (waiting/queue.lua).
local admission = require('frame/admission')
local charged = require('frame/charged')
local itemForms = require('frame/items')
local quota = require('limits/quota')
local reading = require('frame/reading')
local tenant = require('frame/tenant')
local work = require('frame/work')
local verbs = {}

--[[ cancel (ARGV[1] credential, ARGV[2] flags)
  Stops waiting: ends every ticket of a requester whose request names a resource, and releases what was granted to such
  a ticket and not claimed yet.

  ARGV[3]  cursor returned by the last piece: the place of a requester, its ticket, and a digit for each item, 1 if it
           is CANCELLED; '' at first
  ARGV[4]  the first item (frame/items.lua)

  Returns {'OK', quota, cursor, 'CANCELLED' or 'NOT_WAITING', ...}, with a status for each item: what this piece of work
  and those before it did. With the cursor '' it was the last one.
]]
local PIECE_WORK = 3000

local function fault(items, request)
  for _, item in ipairs(items) do
    if string.sub(request.args[1], 1, 8) == 'session:' and not admission.mayForce(item.requester) then
      return { 'FORBIDDEN', 'This needs the right "force", which this role does not have: others wait for it.' }
    end
  end
end

-- Notes what an item names. The tickets of a requester are walked once for all items that name it.
local function noteItem(item, request)
  local reply, at = request.reply, #request.reply - 2
  reply[#reply + 1] = string.sub(request.digits, at, at) == '1' and 'CANCELLED' or 'NOT_WAITING'
  if tenant.queue then
    local places = request.placesOf[item.requester]
    if not places then
      places = {}
      request.placesOf[item.requester], request.requesters[#request.requesters + 1] = places, item.requester
    end
    tenant.queue.addPlace(places, item.resource, #reply)
  end
  work.spend(2)
end

-- Ends the tickets, from the place of a requester and its ticket on. Returns where the next piece goes on: the same
-- with a space between; nil at the end.
local function endTickets(request, first, after)
  local limit = work.done + PIECE_WORK
  local function note(place)
    request.reply[place] = 'CANCELLED'
  end
  for n = first, #request.requesters do
    if n > first and work.done > limit then
      return n .. ' '
    end
    local requester = request.requesters[n]
    local cursor = tenant.queue.cancel(requester, request.placesOf[requester], n == first and after or '', limit, note)
    if cursor then
      return n .. ' ' .. cursor
    end
  end
end

-- Fields of the request, besides those of frame/charged.lua:
--   digits      of the pieces before: a digit for each item
--   requesters  of the items, each once; placesOf[requester]: what the items of this requester name
local function carryOut(request)
  tenant.openQueue()
  local reply = request.reply
  reply[3] = ''
  local first, after, digits = string.match(request.cursor or request.args[3], '^(%d+) (%x*) ([01]*)$')
  request.digits, request.requesters, request.placesOf = digits or '', {}, {}
  local refused = charged.eachItem(request, noteItem)
  if refused then
    return refused
  end
  local cursor = endTickets(request, tonumber(first or 1), after)
  if cursor then
    local now = {}
    for i = 4, #reply do
      now[i - 3] = reply[i] == 'CANCELLED' and '1' or '0'
    end
    reply[3] = cursor .. ' ' .. table.concat(now)
    request.nextCursor = reply[3]
  end
end

verbs.cancel = charged.verb({
  right = 'reserve', requestType = 'WAIT', isRemembered = true, firstItem = 4, readItem = itemForms.cancelItem,
  fault = fault, carryOut = carryOut,
})

--[[ standings (ARGV[1] credential)
  Returns where the requests of a requester stand that wait, or were granted and are not claimed yet, for the dashboard:
  the first 50.

  ARGV[2]  requester

  Returns {'OK', row, ...}. A row is a text with a line for each of: 1 if it was granted else 0, tickets ahead of it,
  what it waits for, since ms, until ms (when the grant or the wait ends), SHARED or '', resources, counts and
  conditions (tabs between each; no conditions: all ready), lease ms ('' a session's).
]]
verbs.standings = reading.freeVerb('read', function(_, args)
  return { 'OK', unpack(tenant.openQueue() and tenant.queue.standings(args[2]) or {}) }
end)

--[[ tellWaits (ARGV[1] credential)
  Tells where tickets stand, once the long polls for them have ended.

  ARGV[2] and the following ones  the numbers of the tickets in decimal

  Returns {'OK', item, ...}: for each ticket the reply of waitingReply() in waiting/answer.lua as a text; '' if it does
  not wait any more.
]]
verbs.tellWaits = reading.freeVerb('reserve', function(_, args)
  return { 'OK', unpack(tenant.openQueue() and tenant.queue.tellWaits({ unpack(args, 2) }) or {}) }
end)

--[[ waiting (ARGV[1] credential, ARGV[2] reads)
  Returns one page of the tickets that wait, in the order of the queue. A page ends after a number of tickets.

  ARGV[3]  cursor returned with the previous page; '' for the first page
  ARGV[4]  number of resets returned with the previous page; '' for the first page
  ARGV[5]  number of tickets to look at
  ARGV[6]  only tickets of this requester; '' any
  ARGV[7]  only tickets whose request names this resource; '' any

  Returns {'OK', quota, cursor, number of resets, number of tickets, row, ...}. Cursor '' means that this was the last
  page. A row is a text with a line for each of: ticket, requester, resources, counts and conditions (tabs between
  each; no conditions: all ready), the longest of the leases it asks for in ms ('' a session's), method ('' a single
  item), priority, since ms, until ms, what it waits for, 1 if it is attended else 0, label of the key, note ('' none),
  who is in the way (whyNot() in reservations/why.lua). If the tenant was reset since the first page, the listing ends.
]]
verbs.waiting = reading.verb('read', function(keys, args)
  local resets = redis.call('HGET', keys.tenant, 'resets') or '0'
  if not tenant.queueText or args[4] ~= '' and args[4] ~= resets then
    return { 'OK', quota.readsQuota, '', resets, 0 }
  end
  local rows, cursor = tenant.openQueue().page(args[3], tonumber(args[5]), args[6], args[7])
  return { 'OK', quota.readsQuota, cursor, resets, tenant.queueState.tickets, unpack(rows) }
end)

return verbs
