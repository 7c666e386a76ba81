-- The requests of a batch (frame/call.lua). Each is charged on its own, and refused on its own for a limit, as if it
-- had a call to itself: so a tenant at its limit costs one call, however many requests are in it.
--
-- A request is a table in the field `request` of its items:
--   items      its items
--   before     the state before it (frame/commit.lua)
--   refused    nil; or a function that returns the reply which refuses it, to be called when all changes are written
local cap = require('limits/cap')
local committing = require('frame/commit')
local flags = require('frame/call').flags
local quota = require('limits/quota')
local batch = {}
-- The requests of the call.
local all

-- Divides the items of a call into its requests.
function batch.divide(items)
  local last = 0
  all = {}
  for size in string.gmatch(flags.sizes, '%d+') do
    local request = { items = {} }
    for i = last + 1, last + size do
      request.items[#request.items + 1], items[i].request = items[i], request
    end
    last = last + size
    all[#all + 1] = request
  end
end

-- Charges a request, unless it does not fit into the quota.
local function charge(verb, request)
  local cost = verb.cost(request.items)
  local limitType, limit, retryAfterS, left = quota.exceeded(cost)
  if limitType then
    request.refused = function()
      return quota.refuse(verb.requestType, limitType, limit, cost, retryAfterS, left)
    end
  end
end

-- Returns true if the request of an item is refused. That is decided before its first item is carried out. Takes the
-- verb (frame/charged.lua).
function batch.isRefused(verb, item)
  local request = item.request
  if item == request.items[1] then
    request.before = committing.stateBefore()
    local fault = verb.fault and verb.fault(request.items)
    if fault then
      request.refused = function()
        return fault
      end
    else
      charge(verb, request)
    end
  end
  return request.refused ~= nil
end

-- Refuses a request if it exceeds the cap on reservations when its last item has been carried out. It then costs
-- nothing, and its items have empty replies: those at the end of the reply.
function batch.checkCap(verb, item, reply)
  local request = item.request
  local asked = item == request.items[#request.items] and cap.askedOverCap(request.before)
  if not asked then
    return
  end
  quota.exceeded(-verb.cost(request.items))
  request.refused = function()
    return cap.refuseAtCap(verb.requestType, asked)
  end
  for i, one in ipairs(request.items) do
    reply[#reply - #request.items + i], one.made = {}, nil
  end
end

-- Adds to the reply which requests are refused: JSON, an array of [number of the request, code, ...], where what
-- follows the number is the reply that the request would get alone; '' if none is refused.
function batch.tell(reply)
  local refusals = {}
  for i, request in ipairs(all) do
    if request.refused then
      refusals[#refusals + 1] = { i - 1, unpack(request.refused()) }
    end
  end
  reply[#reply + 1] = refusals[1] and cjson.encode(refusals) or ''
end

return batch
