-- The way of a charged request, from its admission to its reply. Its verb (lua/verbs) is a table:
--   right         the right that the caller needs
--   requestType   what messages about limits call the request; nil nothing
--   firstItem     the argument at which its items begin; nil: it has none
--   readItem      reads one (frame/items.lua)
--   place         what precedes an item's place in messages; nil nothing
--   firstResult   the place in the reply at which results begin that become texts; nil: there are none
--   canWait       true if its requests may wait
--   mayBegin      true if the verb may begin a session
--   makesDue      true if it makes or renews what expires. It may then return {'DUE_INDEX', ms, swept}: the caller must
--                 first put the tenant into the due index at or before that time, then call again (limits/cap.lua)
--   isRemembered  true if the request must not run twice: a retry gets the reply to the first try
-- and has these functions, which are called in this order. Most verbs have few of them.
--   prepare(request)             once the caller is admitted
--   cost(items, request)         returns the number of writes to charge; nil: one for each item, or for the request.
--                                What was charged before, and a dry run, which costs reads, costs nothing
--   fault(items, request)        returns the reply that refuses what the items ask for; nil if they are right
--   carryOut(request)            decides what is changed. Returns the reply that refuses the request; nil none
--   carryOutItem(item, request)  instead, if each item is carried out on its own: returns its result. Such requests can
--                                are in a batch (frame/batch.lua): `items` above are then those of one of them
--   complete(request)            once nothing refuses the request as a whole
--   written(request)             once all changes are written
-- A request is a table, which also keeps what these functions have to tell each other:
--   args, items   its arguments and items
--   reply         what it is answered: 'OK', the quota, then what the verb adds
--   before        the state before it (frame/commit.lua)
--   refused       the reply that refuses it, if that turns out while an item is carried out
--   isUnfinished  true if a search has to go on in another call (reservations/match.lua)
--   begun         the number of sessions that it begins; nil 0
--   cursor        where this piece of the request begins, if an earlier try left it; nextCursor: where the next one
--                 does. Most requests take one piece
local admission = require('frame/admission')
local answers = require('frame/answers')
local cap = require('limits/cap')
local committing = require('frame/commit')
local expiry = require('reservations/expiry')
local flags = require('frame/call').flags
local itemForms = require('frame/items')
local naming = require('definitions/names')
local quota = require('limits/quota')
local reading = require('frame/reading')
local shared = require('slots/shared')
local batch = require('frame/batch')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local texts = require('reservations/texts')
local waitingQueue = require('waiting/queue')
local work = require('frame/work')
local charged = {}

local function read(verb, args)
  tenant.mayWait, tenant.mayBegin = verb.canWait and flags.poll ~= nil, verb.mayBegin
  waitingQueue.prepare()
  local items = verb.firstItem and itemForms.readItems(verb.firstItem, verb.readItem) or {}
  return { verb = verb, args = args, items = items, reply = { 'OK', '' }, before = nil, cursor = nil }
end

-- Admits the caller, charges the request and ends what is due. Returns nil; or the reply that refuses the request, or
-- that its first try got.
local function admit(verb, request)
  local refused = admission.admit(verb.right, request.items, verb.place)
  if refused then
    return refused
  elseif verb.prepare then
    verb.prepare(request)
  end
  local cost = flags.sizes and 0 or verb.cost(request.items, request)
  return answers.before(verb.isRemembered) or quota.charge(verb.requestType, cost) or
    expiry.expire(verb.carryOutItem and request.items)
end

-- Reads the definitions and slots that items name, in few commands.
local function readAll(items)
  local names = {}
  for i, item in ipairs(items) do
    names[i] = item.resource
  end
  naming.readMeanings(names)
  for _, item in ipairs(items) do
    if item.options and itemForms.isSharedItem(item) then
      names[#names + 1] = shared.shareOf(item.resource, item.requester)
    end
  end
  slotMap.readSlots(names)
end

-- The place, from 0, of the item that is being carried out.
local place

local function runAll(items, carryOut, request)
  readAll(items)
  for i, item in ipairs(items) do
    place = i - 1
    carryOut(item, request)
  end
end

-- Runs the items of a request one by one, under the work budget: reads what they name, then calls
-- carryOut(item, request) for each, in order. Takes a part of the budget (nil: all). Returns nil; or the reply that
-- refuses the request, if it exceeds the budget. Then nothing may be committed.
function charged.eachItem(request, carryOut, part)
  place = 0
  if work.isOverBudget(runAll, part, request.items, carryOut, request) then
    return work.tooMuch((request.verb.place or '') .. '[' .. place .. '].resource')
  end
end
local function carryOutItem(item, request)
  local verb, reply = request.verb, request.reply
  if item.request and batch.isRefused(verb, item) then
    reply[#reply + 1] = {}
    return
  end
  reply[#reply + 1] = verb.carryOutItem(item, request)
  if item.request then
    batch.checkCap(verb, item, reply)
  end
end

-- A dry run (docs/specification.md#asking-without-doing) is carried out on paper like any request, and ends before
-- finish(): so nothing of it is written or sent. The instance has charged it as reads. What was due before it is ended
-- here.
local function begin(request)
  if flags.isDry then
    reading.commitDue()
  elseif flags.sizes then
    batch.divide(request.items)
  end
  request.before, request.cursor = committing.stateBefore(), answers.cursor
end

-- Decides what is changed. Returns nil; or the reply that refuses the request, with nothing changed.
local function carryOut(verb, request)
  local refused = verb.fault and not flags.sizes and verb.fault(request.items, request)
  if refused then
    return refused
  end
  begin(request)
  if verb.carryOutItem then
    refused = charged.eachItem(request, carryOutItem) or request.refused
  else
    refused = verb.carryOut(request)
  end
  if refused then
    return refused
  elseif request.isUnfinished then
    return committing.again(request.before)
  elseif tenant.foreign then
    -- Of a batch, it concerns one request only, which will get it when each is sent on its own.
    return { flags.sizes and 'REFUSED' or 'FORBIDDEN', tenant.foreign }
  end
  return not flags.sizes and cap.overCap(verb.requestType, request.before, request.begun)
end

-- Writes all changes. Returns the reply; or the one that asks for the due index, with nothing changed.
local function finish(verb, request)
  local reply = request.reply
  if verb.complete then
    verb.complete(request)
  end
  local missing = verb.makesDue and not flags.isDry and cap.askForDueIndex()
  if missing then
    return missing
  elseif verb.firstResult then
    texts.asTexts(reply, verb.firstResult)
  end
  reply[2] = quota.text()
  if flags.isDry then
    return reply
  end
  committing.finish(reply, true)
  if verb.written then
    verb.written(request)
  end
  if flags.sizes then
    batch.tell(reply)
  end
  return answers.keep(reply, verb.isRemembered, request.nextCursor)
end

-- Returns a verb's cost(). A retry was charged at the first try; so was a request that goes on.
local function costOf(verb)
  local cost = verb.cost
  return function(items, request)
    local isCharged = flags.isContinued or flags.isDry or flags.isRepeated and not verb.isRemembered
    return isCharged and 0 or cost and cost(items, request) or verb.firstItem and #items or 1
  end
end

-- Returns the function that runs a verb (frame/run.lua). Takes its table.
function charged.verb(verb)
  verb.cost = costOf(verb)
  return function(_, args)
    local request = read(verb, args)
    return admit(verb, request) or carryOut(verb, request) or finish(verb, request)
  end
end

return charged
