-- The part of the queue that notes the ends of calls.
--@include clock
--@include waiting/beats
--@include waiting/otherCallers
--@include waiting/tickets
-- Notes that an instance holds no call for a ticket any more. Unless another one that is alive does, its attendance
-- begins to end.
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
  local isHeld = false
  eachInstance(others, function(other)
    isHeld = isHeld or (beats[other] or 0) + BEAT_LAPSES_MS > nowMs
  end)
  if not isHeld then
    fields.instance, fields.heldUntil = ticket.instance, nowMs
  end
  if ticket.status == 'attended' and ticket.session == '' then
    fields.due = math.min(ticket.due, nowMs + ticket.claimMs)
  end
  changeTicket(ticket, fields)
end
queue.leave = leave
