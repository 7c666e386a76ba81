-- The requests of a shared call (frame/call.lua). Each is charged on its own, and refused on its own for a limit, as if
-- it had a call to itself: so a tenant at its limit costs one call, however many requests share it.
--
-- A request is a table in the field `share` of its items:
--   items      its items
--   before     the state before it (frame/commit.lua)
--   refused    nil; or a function that returns the reply which refuses it, to be called when all changes are written
local cap = require('limits/cap')
local committing = require('frame/commit')
local flags = require('frame/call').flags
local quota = require('limits/quota')
local shares = {}
-- The requests of the call.
local all

-- Divides the items of a call into its requests.
function shares.divide(items)
  local last = 0
  all = {}
  for size in string.gmatch(flags.sizes, '%d+') do
    local share = { items = {} }
    for i = last + 1, last + size do
      share.items[#share.items + 1], items[i].share = items[i], share
    end
    last = last + size
    all[#all + 1] = share
  end
end

-- Charges a request, unless it does not fit into the quota.
local function charge(verb, share)
  local cost = verb.cost(share.items)
  local limitType, limit, retryAfterS, left = quota.exceeded(cost)
  if limitType then
    share.refused = function()
      return quota.refuse(verb.requestType, limitType, limit, cost, retryAfterS, left)
    end
  end
end

-- Returns true if the request of an item is refused. That is decided before its first item is carried out. Takes the
-- verb (frame/charged.lua).
function shares.isRefused(verb, item)
  local share = item.share
  if item == share.items[1] then
    share.before = committing.stateBefore()
    local fault = verb.fault and verb.fault(share.items)
    if fault then
      share.refused = function()
        return fault
      end
    else
      charge(verb, share)
    end
  end
  return share.refused ~= nil
end

-- Refuses a request if it exceeds the cap on reservations when its last item has been carried out. It then costs
-- nothing, and its items have empty replies: those at the end of the reply.
function shares.checkCap(verb, item, reply)
  local share = item.share
  local asked = item == share.items[#share.items] and cap.askedOverCap(share.before)
  if not asked then
    return
  end
  quota.exceeded(-verb.cost(share.items))
  share.refused = function()
    return cap.refuseAtCap(verb.requestType, asked)
  end
  for i, one in ipairs(share.items) do
    reply[#reply - #share.items + i], one.made = {}, nil
  end
end

-- Adds to the reply which requests are refused: JSON, an array of [number of the request, code, ...], where what
-- follows the number is the reply that the request would get alone; '' if none is refused.
function shares.tell(reply)
  local refusals = {}
  for i, share in ipairs(all) do
    if share.refused then
      refusals[#refusals + 1] = { i - 1, unpack(share.refused()) }
    end
  end
  reply[#reply + 1] = refusals[1] and cjson.encode(refusals) or ''
end

return shares
