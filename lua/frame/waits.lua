-- Requests that may wait (docs/specification.md#waiting), as verbs hand them to the queue. An item that may wait has
-- the field `waiting`: what the queue takes (waiting/ask.lua), for itself, or for a transaction as a whole.
local itemForms = require('frame/items')
local tenant = require('frame/tenant')
local waits = {}

-- Returns what the queue takes for some items. Takes the method ('' a single item), the call that holds the request,
-- '<instance> <ms>', and how it waits: waitMs, priority and claimMs.
local function waitingFor(items, method, call, wait)
  local queue = tenant.openQueue()
  local waiting = {
    requester = items[1].requester, method = method, items = {}, call = queue.readCall(call),
    wait = queue.readWait(wait),
  }
  for i, item in ipairs(items) do
    item.waiting = waiting
    waiting.items[i] = {
      resource = item.resource, ttlMs = item.ttlMs, sessionId = item.sessionId, type = item.type, token = item.token,
      count = tonumber(item.count), options = item.options,
    }
  end
  return waiting
end

-- Prepares items that wait on their own, if the request may wait.
function waits.prepareEach(items, call)
  for _, item in ipairs(tenant.mayWait and items or {}) do
    if item.wait ~= '' then
      waitingFor({ item }, '', call, item.wait)
    end
  end
end

-- Prepares items that wait together, if the request may wait. Returns what the queue takes for them.
function waits.prepareAll(items, method, call, wait)
  return tenant.mayWait and waitingFor(items, method, call, wait) or nil
end

-- Returns the number of slots that items ask for, without those that have a ticket: these have been charged.
function waits.countSlots(items)
  if not tenant.mayWait then
    return itemForms.slotsOf(items)
  end
  local new, waiting, last = 0, {}, nil
  for _, item in ipairs(items) do
    if not item.waiting then
      new = new + itemForms.slotsOf({ item })
    elseif item.waiting ~= last then
      last = item.waiting
      waiting[#waiting + 1] = last
    end
  end
  return new + tenant.queue.countNew(waiting)
end

-- Returns the reply that refuses a request if an item waits that has neither a lease nor a session: a grant without an
-- end could fall to a caller that died unnoticed. Returns nil if none does.
function waits.whyEndless(items, request)
  for i, item in ipairs(items) do
    if item.waiting and not item.ttlMs and not item.sessionId then
      local place = (request.verb.place or '') .. '[' .. i - 1 .. ']'
      return { 'REFUSED', place .. '.ttlSeconds is required where waitSeconds is more than 0' }
    end
  end
end

return waits
