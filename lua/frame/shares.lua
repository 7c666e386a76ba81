-- The requests of a shared call (flags.lua). Each is charged on its own, and refused on its own for a limit, as if it
-- had a call to itself: so a tenant at its limit costs one call, however many requests share it.
--
-- A request is a table in the field `share` of its items:
--   items      its items
--   isCharged  true once it was charged
--   refused    nil; or a function that returns the reply which refuses it, to be called when all changes are written
local flags = require('frame/flags')
local quota = require('limits/quota')
local tenant = require('frame/tenant')
-- batches.shares has these functions if several requests share the call, else it is nil.
local batches, shares = {}, {}
local all

-- Divides the items of a call into its requests.
function shares.divide(items)
  local last = 0
  for size in string.gmatch(flags.sizes, '%d+') do
    local share = { items = {} }
    for i = last + 1, last + size do
      share.items[#share.items + 1], items[i].share = items[i], share
    end
    last = last + size
    all[#all + 1] = share
  end
end

-- Charges a request, before its first item is carried out. Returns true if it is refused.
function shares.isRefused(share, requestType, cost)
  if not share.isCharged and not share.refused then
    local misfit = quota.chargeOrMisfit(requestType, cost)
    if misfit then
      share.refused = function()
        return quota.refuse(unpack(misfit))
      end
    else
      share.isCharged, tenant.usage = true, quota.charged.usage
    end
  end
  return share.refused ~= nil
end

-- Refuses a request that was charged and rolled back: it costs nothing.
function shares.takeBack(share, requestType, cost, refused)
  quota.chargeOrMisfit(requestType, -cost)
  tenant.usage, share.refused = quota.charged.usage, refused
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
  return reply
end

function batches.begin()
  batches.shares, all = flags.sizes and shares or nil, {}
end

return batches
