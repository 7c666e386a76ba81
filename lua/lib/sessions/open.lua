-- Sessions (docs/specification.md#sessions): a caller keeps all reservations of a session by one heartbeat, and loses
-- all of them together. Every script that reads reservations includes this file. It adds tenant.sessions, if the tenant
-- has sessions or the call begins one (tenant.mayBegin, which the command sets before). Fields:
--   count, nextDue   number of sessions; ms: none is due before this
--   isClearing       true if some holds of a session that is over were released, and others are left
--   at(id, stored)   returns a session, false if there is none; `stored` is its record, nil to read it
--   of(id, owner)    returns a session for a requester to use, false if there is none; may set tenant.foreign
--   holdsOf(session)   returns the number of its reservations
--   whyFull(session)   returns why it may not have more, false if it may
--   put(session)     stores a session
--   clear(id)        ends holds of a session that is over. Returns true if none is left
--   clearDue()       does so for all sessions that are due
--   write(fields)    writes all changes
-- Few tenants have sessions, so nothing is made for others: making a function costs time at every call.
--@include expiry
if tenant.sessionsText or tenant.mayBegin then
--@include sessions/records
--@include sessions/clear
  sessions.clear, sessions.clearDue = clear, clearDue
end
