-- Requests that may wait (docs/specification.md#waiting), as the verbs hand them to the queue.
local tenant = require('frame/tenant')
local waits = {}

-- Opens the tenant's queue. Returns the call that holds the request; takes its argument, '<instance> <ms>'.
function waits.open(call)
  if not tenant.queue then
    tenant.openQueue()
  end
  return tenant.queue.readCall(call)
end

-- Returns an item (frame/items.lua) in the form that the queue takes (waiting/ask.lua).
function waits.itemOf(item)
  return {
    resource = item.resource, ttlMs = tonumber(item.ttlMs), lease = item.ttlMs, type = item.type, token = item.token,
    count = tonumber(item.count), options = item.options,
  }
end

-- Returns the reply that refuses an item which waits, if it has neither a lease nor a session: a grant without an end
-- could fall to a caller that died unnoticed. Takes the item's place in messages.
function waits.whyEndless(item, place)
  if item.ttlMs == '' then
    return { 'REFUSED', place .. '.ttlSeconds is required where waitSeconds is more than 0' }
  end
end

return waits
