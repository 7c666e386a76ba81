-- The waiting queue of the tenant (docs/specification.md#waiting), as far as scripts need it that have nothing to do
-- with it. The queue's code is in the folder waiting. Most calls do not touch a resource that somebody waits for, so
-- scripts make the queue's functions only when they need them: openQueue() (waiting/open.lua) sets `queue`.
--   queue    table of the queue's functions; nil until the queue is open
--   mayWait  true if the call may make the tenant's first ticket
--   state  the state of the queue as a whole, one field of the tenant's hash:
--     items        number of items of all tickets that wait; they count towards the cap on reservations
--     tickets      number of tickets that wait
--     granted      number of tickets that were granted and not claimed yet
--     last         number of the last ticket. Tickets are numbered by Redis's time in microseconds, always rising
--     nextDue      ms: nothing of the tickets is due before this
--     isUnsettled  true if some lines still have to be looked at (waiting/settle.lua)
--     replanned    the ticket, as hexadecimal digits, up to which the queue was brought up to date after a change of
--                  definitions; nil if it is up to date
--@include tenant
local queue, mayWait
local state = { items = 0, tickets = 0, granted = 0, last = 0, nextDue = math.huge, isUnsettled = false }
if tenant.queue then
  local items, count, granted, last, nextDue, unsettled, replanned =
    string.match(tenant.queue, '^(%d+) (%d+) (%d+) (%d+) (%S+) (%d) (%S+)$')
  state.items, state.tickets, state.granted = tonumber(items), tonumber(count), tonumber(granted)
  state.last, state.nextDue, state.isUnsettled = tonumber(last), tonumber(nextDue), unsettled == '1'
  state.replanned = replanned ~= '-' and string.sub(replanned, 2) or nil
end
