-- The way of a charged request, from its admission to its reply. Its verb (lua/verbs) is a table:
--   right         the right that the caller needs
--   requestType   what messages about limits call the request; nil nothing
--   firstItem     the argument at which its items begin; nil: it has none
--   readItem      reads one (frame/items.lua)
--   place         what precedes an item's place in messages; nil nothing
--   firstResult   the place in the reply at which results begin that become texts; nil: there are none
--   callArg       the argument with the call that holds a request which may wait, '' if it does not; nil: none waits
--   mayBegin      true if the verb may begin a session
--   indexArg      the argument with the tenant's time in the expiry index (limits/cap.lua); nil: the verb makes nothing
--                 that expires
--   isRemembered  true if the request must not run twice: a retry gets the reply to the first try
-- and has these functions, which are called in this order. Most verbs have few of them.
--   prepare(request)             once the caller is admitted
--   cost(items, request)         returns the number of writes to charge
--   fault(items, request)        returns the reply that refuses what the items ask for; nil if they are right
--   carryOut(request)            decides what is changed. Returns the reply that refuses the request; nil none
--   carryOutItem(item, request)  instead, if each item is carried out on its own: returns its result. Such requests can
--                                share a call (frame/shares.lua): `items` above are then those of one of them
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
local batch = require('frame/batch')
local cap = require('limits/cap')
local committing = require('frame/commit')
local expiry = require('reservations/expiry')
local flags = require('frame/flags')
local idempotency = require('frame/idempotency')
local itemForms = require('frame/items')
local quota = require('limits/quota')
local reading = require('frame/reading')
local shares = require('frame/shares')
local tenant = require('frame/tenant')
local texts = require('reservations/texts')
local waitingQueue = require('waiting/queue')

local function read(verb, args)
  tenant.mayWait, tenant.mayBegin = verb.callArg and args[verb.callArg] ~= '', verb.mayBegin
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

local function carryOutItem(item, request)
  local verb, reply = request.verb, request.reply
  if item.share and shares.isRefused(verb, item) then
    reply[#reply + 1] = {}
    return
  end
  reply[#reply + 1] = verb.carryOutItem(item, request)
  if item.share then
    shares.checkCap(verb, item, reply)
  end
end

-- A dry run (docs/specification.md#asking-without-doing) is carried out on paper like any request, and ends before
-- finish(): so nothing of it is written or sent. The instance has charged it as reads. What was due before it is ended
-- here.
local function begin(request)
  if flags.isDry then
    reading.commitDue()
  elseif flags.sizes then
    shares.divide(request.items)
  end
  request.before, request.cursor = committing.stateBefore(), idempotency.cursor
end

-- Decides what is changed. Returns nil; or the reply that refuses the request, with nothing changed.
local function carryOut(verb, request)
  local refused = verb.fault and not flags.sizes and verb.fault(request.items, request)
  if refused then
    return refused
  end
  begin(request)
  if verb.carryOutItem then
    refused = batch.eachItem(request, carryOutItem) or request.refused
  else
    refused = verb.carryOut(request)
  end
  if refused then
    return refused
  elseif request.isUnfinished then
    return committing.again(request.before)
  elseif tenant.foreign then
    -- Of a shared call, it concerns one request only, which will get it when each is sent on its own.
    return { flags.sizes and 'REFUSED' or 'FORBIDDEN', tenant.foreign }
  end
  return not flags.sizes and cap.overCap(verb.requestType, request.before, request.begun)
end

-- Writes all changes. Returns the reply; or the one that asks for the expiry index, with nothing changed.
local function finish(verb, request)
  local reply = request.reply
  if verb.complete then
    verb.complete(request)
  end
  local missing = verb.indexArg and not flags.isDry and cap.askForIndex(request.args[verb.indexArg])
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
    shares.tell(reply)
  end
  return answers.keep(reply, verb.isRemembered, request.nextCursor)
end

-- Takes a verb. Returns the function that runs it (frame/run.lua).
return function(verb)
  return function(_, args)
    local request = read(verb, args)
    return admit(verb, request) or carryOut(verb, request) or finish(verb, request)
  end
end
