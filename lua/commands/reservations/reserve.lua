--[[
  Reserves resources. Handles all items of one request, in order; each succeeds or fails on its own.

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

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  flags of the request (flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (index.lua); '' at first
  ARGV[4]  if an item may wait: the instance that holds the call, and for how long it may do so: '<instance> <ms>'; else
           ''
  ARGV[5]  the first item (items/reserve.lua)

  Returns {'OK', quota, item, ...}. An item is a reply of reserveOne() in reserveOne.lua, or of answer() in
  waiting/answer.lua if it may wait, as a text (asTexts.lua). A shared call ends with what shares.tell() adds. Or,
  with nothing changed: {'REFUSED', message}, the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'},
  {'NO_TENANT'}, {'AGAIN'}, or {'INDEX', ms, swept}: the caller must first put the tenant into the expiry index at or
  before that time, then call again. Or a reply of once.before() in once.lua.
]]
--@include admit
--@include expiry
--@nest
--@include flags
--@include once
--@include quota
--@include shares
--@include items
--@include items/reserve
--@include batch
--@include reserveOne
--@include cap
--@include stateBefore
--@include slotsOf
--@include index
--@include emitReserved
--@include eventWork
--@include asTexts
--@makeRare
tenant.mayWait = ARGV[4] ~= ''
--@include waiting/open
--@part waiting/requests
local items = readItems(5, reserveItem)
local refused = admit('reserve', items)
if refused then
  return refused
end

-- requests[item]: the request of an item that may wait (waiting/ask.lua).
local requests = {}
-- Set if an item that waits has neither a lease nor a session: a grant without an end could fall to a caller that died
-- unnoticed.
local endless
-- A retry was charged at the first try, and the events of its failures were emitted then.
local isFree = flags.isRepeated or flags.isContinued or flags.isDry
local cost = (isFree or shares) and 0 or slotsOf(items)
if tenant.mayWait then
  if not tenant.queue then
    tenant.openQueue()
  end
  local call, list, waiting = tenant.queue.readCall(ARGV[4]), {}, 0
  for i, item in ipairs(items) do
    if item.wait ~= '' then
      endless = endless or item.ttlMs == '' and '[' .. i - 1 .. ']'
      requests[item] = {
        requester = item.requester, method = '', call = call, wait = tenant.queue.readWait(item.wait),
        items = { {
          resource = item.resource, ttlMs = tonumber(item.ttlMs), lease = item.ttlMs, type = item.type, token = item.token,
          count = tonumber(item.count), options = item.options,
        } },
      }
      list[#list + 1] = requests[item]
      waiting = waiting + slotsOf({ item })
    end
  end
  if cost > 0 then
    cost = cost - waiting + tenant.queue.countNew(list)
  end
end
refused = once and once.before() or charge('RESERVE', cost) or expire(items)
if refused then
  return refused
elseif endless then
  return { 'REFUSED', endless .. '.ttlSeconds is required where waitSeconds is more than 0' }
end
--@include dryRun
if shares then
  shares.divide(items)
end

local before = stateBefore()
local reply, made, outcomes, tooLarge, isUnfinished = { 'OK', charged.quota }, {}, {}, nil, false
local isRefused, checkCap
if shares then
  -- Returns true if the item's request is refused. Its items then have empty replies.
  isRefused = function(item)
    local share = item.share
    if item == share.items[1] then
      share.before = stateBefore()
    end
    return shares.isRefused(share, 'RESERVE', isFree and 0 or slotsOf(share.items))
  end

  -- Refuses the request that an item was the last one of, if the cap is exceeded now.
  checkCap = function(item)
    local share = item.share
    local asked = item == share.items[#share.items] and askedOverCap(share.before)
    if asked then
      shares.takeBack(share, 'RESERVE', isFree and 0 or slotsOf(share.items), function()
        return refuseAtCap('RESERVE', asked)
      end)
      for i, one in ipairs(share.items) do
        reply[#reply - #share.items + i], made[one] = {}, nil
      end
    end
  end
end

local overBudget = eachItem(items, function(item)
  if shares and isRefused(item) then
    reply[#reply + 1] = {}
    return
  end
  local result, reservation
  if requests[item] then
    local outcome = tenant.queue.ask(requests[item])
    outcomes[item] = outcome
    tooLarge = tooLarge or outcome.tooLarge and '[' .. #reply - 2 .. '] ' .. outcome.tooLarge
    result, reservation = tenant.queue.firstReply(outcome)
  else
    result, reservation = reserveOne(item)
  end
  reply[#reply + 1] = result
  made[item] = reservation
  isUnfinished = isUnfinished or result.isUnfinished
  spendOnEvent(item, result[6])
  if shares then
    checkCap(item)
  end
end)
if overBudget then
--@include tooMuch
  return tooMuch(overBudget)
elseif tooLarge then
  return { 'REFUSED', tooLarge }
elseif isUnfinished then
--@include again
  return again(before)
elseif tenant.foreign then
  -- Of a shared call, it concerns one request only, which will get it when each is sent on its own.
  return { shares and 'REFUSED' or 'FORBIDDEN', tenant.foreign }
end
refused = not shares and overCap('RESERVE', before)
if refused then
  return refused
end
if tenant.listenUntil > 0 then
  for i, item in ipairs(items) do
    if made[item] or not flags.isRepeated and reply[i + 2][1] then
      emitReserved(item, reply[i + 2], made[item])
    end
  end
end
if tenant.queue then
  tenant.queue.runPostponed()
  for i, item in ipairs(items) do
    if outcomes[item] then
      reply[i + 2] = tenant.queue.answer(outcomes[item], requests[item])[1]
    end
  end
end
if flags.isDry then
  return asTexts(reply, 3)
end
refused = askForIndex(ARGV[3])
if refused then
  return refused
end
reply[2] = charged.quota
finish(asTexts(reply, 3), charged.usage)
if shares then
  return shares.tell(reply)
end
return once and once.keep(reply) or reply
