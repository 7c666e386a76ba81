-- The stored form of an attended ticket that waits for one plain name: what waiting/tickets.lua packs of it, and its
-- digest. The plain way (plain/handOver.lua, plain/join.lua) reads and writes such tickets.
local ticketForm = {}
local band, format, pack, sub = bit.band, string.format, struct.pack, string.sub
-- The low seven bits of four bytes.
local LOW = 0x7f7f7f7f

-- Returns the digest of a text that tells a request from others of its requester: 8 bytes below 128.
function ticketForm.digestOf(text)
  local hex = redis.sha1hex(text)
  return pack('>I4I4', band(tonumber(sub(hex, 1, 8), 16), LOW), band(tonumber(sub(hex, 9, 16), 16), LOW))
end

-- Returns the digest of a request for one plain name (tickets.digestOf() has all others).
function ticketForm.digestOfName(requester, name)
  return ticketForm.digestOf(requester .. '\n\n' .. name)
end

-- Packs a ticket: takes a table with the fields that unpack() returns, but for `order`, and also priority, endsAt and
-- claimMs (waiting/tickets.lua).
function ticketForm.pack(ticket, name)
  return cmsgpack.pack({
    'attended', ticket.requester, ticket.label, '', ticket.since, ticket.endsAt, ticket.claimMs, ticket.instance,
    ticket.due, 0, '', 0, '', 100 - ticket.priority, { name, ticket.ttlMs, ticket.type }, 0, 0,
  })
end

-- Returns a ticket that waits for one plain name by itself, has no options and no session, and was never seen as next:
-- a table of requester, label, since, instance, due, ttlMs and type. Returns nil if it is another.
function ticketForm.unpack(packed, name)
  local parts = cmsgpack.unpack(packed)
  local items = parts[15]
  if
    parts[1] == 'attended' and parts[4] == '' and parts[10] == 0 and parts[13] == '' and items[1] == name and
    not items[4] and parts[16] == 0 and parts[17] == 0 and not parts[18] and not parts[19]
  then
    return {
      requester = parts[2], label = parts[3], since = parts[5], instance = parts[8], due = parts[9],
      ttlMs = items[2], type = items[3],
    }
  end
end

-- Returns the number of a ticket in decimal, which names it outside of Redis. Takes its order (waiting/queues.lua).
function ticketForm.idOf(order)
  return format('%d', (struct.unpack('>I7', order, 2)))
end

return ticketForm
