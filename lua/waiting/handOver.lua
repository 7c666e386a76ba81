-- Hands what a request releases straight to calls that wait in long polls of its instance: a ticket of such a call is
-- granted and claimed in one step, with the release token of its call. The instance names the calls, with the
-- credential of the request, and has seen that their callers are connected. It answers no call that it names before it
-- has the reply.
local state = require('waiting/state')
local tickets = require('waiting/tickets')
local handOver = {}

-- The instance; tokens[ticket]: the release token of the call. Both nil unless this call's own changes are settled:
-- what is granted before could be told to nobody if the request is refused.
local instance, tokens
-- The tickets that were handed over, with their replies.
local told

-- Takes the instance and what it names: queues '<ticket> <release token>'.
function handOver.offer(text)
  instance, tokens = string.match(text, '^%w+'), {}
  for ticket, token in string.gmatch(text, '\n(%d+) (%S+)') do
    tokens[ticket] = token
  end
end

-- Returns the instance and the release token of its call if a ticket is to be claimed as soon as it is granted; nil if
-- not.
function handOver.callOf(ticket)
  local token = tokens and tokens[tickets.ticketId(ticket)]
  local item = ticket.items[1]
  local isPlain = ticket.method == '' and ticket.session == '' and not tickets.isLoose(ticket)
  if token and isPlain and ticket.status == 'attended' and item.ttlMs >= state.MIN_LEASE_MS then
    return instance, token
  end
end

-- Notes the reply to the item of a ticket that was handed over.
function handOver.note(ticket, reply)
  told[#told + 1] = tickets.ticketId(ticket) .. '\n' .. table.concat(reply, '\n')
end

-- Adds to a reply what was handed over.
function handOver.tell(reply)
  for _, text in ipairs(told) do
    reply[#reply + 1] = text
  end
end

function handOver.open()
  instance, tokens, told = nil, nil, {}
end

return handOver
