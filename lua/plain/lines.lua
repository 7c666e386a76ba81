-- The line of a plain name (waiting/lines.lua), in which tickets may be handed over to, or join, the plain way.
local plain = require('plain/plain')
local pools = require('slots/pools')
local queueState = require('plain/queueState')
local tenant = require('plain/tenant')
local lines = {}
local find, sub = string.find, string.sub

-- Returns true if a name has no definition, and no pool has it as a slot.
function lines.isUnregistered(keys, name)
  local pool = pools.split(name)
  return tenant.definitions == 0 or not plain.definitionOf(keys.definitions, name) and
    not (pool and plain.definitionOf(keys.definitions, pool))
end

-- Returns true if a name is not registered, nothing is kept for tickets, and none waits for slots that are not ready.
function lines.arePlain(keys, name)
  return queueState.isOpen() and not tenant.isAnyClosing() and not find(name, '>', 1, true) and
    lines.isUnregistered(keys, name)
end

-- Returns the order of the first ticket in the line of a name (waiting/queues.lua), '' none. Returns nil unless all are
-- attended, wait for the name, and were not seen as next: \nw is the last of the kinds.
function lines.firstIn(keys, name)
  local first = tenant.firstMember(keys, name)
  if not first then
    return ''
  end
  return sub(first, #name + 2, #name + 2) == 'w' and sub(first, -8) or nil
end

-- Returns two members of a ticket in the line of a name: of all tickets, and of the line (waiting/queues.lua).
function lines.membersOf(name, order)
  return '\1' .. order, name .. '\nw' .. order
end

-- Returns the first members of the tickets of a requester, at most so many.
function lines.ofRequester(keys, requester, most)
  local prefix = '\2' .. requester
  return redis.call('ZRANGE', keys.queues, '[' .. prefix .. '\n', '(' .. prefix .. '\11', 'BYLEX', 'LIMIT', '0', most)
end

return lines
