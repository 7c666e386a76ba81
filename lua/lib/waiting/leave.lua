-- The part of the queue that notes the ends of calls.
--@include clock
--@include waiting/otherCallers
--@include waiting/tickets
-- Notes that an instance holds no call for a ticket any more. With the last one, its attendance begins to end.
local function leave(id, instance)
  local ticket = ticketAt(struct.pack('>I7', tonumber(id)))
  if not ticket or ticket.status == 'granted' or ticket.heldUntil <= nowMs then
    return
  end
  local others = withoutInstance(ticket.instance, instance)
  if #others == #ticket.instance then
    return
  end
  local fields = { instance = others }
  if others == '' then
    fields.instance, fields.heldUntil = ticket.instance, nowMs
    if ticket.status == 'attended' and ticket.session == '' then
      fields.due = math.min(ticket.endsAt, nowMs + ticket.claimMs)
    end
  end
  changeTicket(ticket, fields)
end
queue.leave = leave
