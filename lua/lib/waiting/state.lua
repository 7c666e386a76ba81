-- The state of the queue as a whole, one field of the tenant's hash. Fields:
--   items        number of slots that all tickets ask for which wait; they count towards the cap on reservations
--   tickets      number of tickets that wait
--   granted      number of tickets that were granted and not claimed yet
--   last         number of the last ticket. Tickets are numbered by Redis's time in microseconds, always rising
--   nextDue      ms: nothing of the tickets is due before this
--   isUnsettled  true if some lines still have to be looked at (settle.lua)
--   hasKept      false if no line has slots that are free and kept (lines.lua)
--   wasKept      false if no ticket ever waited for something that was kept from it
--   replanned    the ticket, as hexadecimal digits, up to which the queue was brought up to date after a change of
--                definitions; nil if it is up to date
--@include tenant
local state = {
  items = 0, tickets = 0, granted = 0, last = 0, nextDue = math.huge, isUnsettled = false, hasKept = false,
  wasKept = false,
}
tenant.queueState = state
if tenant.queueText then
  local items, count, granted, last, nextDue, unsettled, replanned =
    string.match(tenant.queueText, '^(%d+) (%d+) (%d+) (%d+) (%S+) (%d) (%S+)$')
  state.items, state.tickets, state.granted = tonumber(items), tonumber(count), tonumber(granted)
  state.last, state.nextDue, state.isUnsettled = tonumber(last), tonumber(nextDue), unsettled == '1'
  state.hasKept, state.wasKept = unsettled < '2', unsettled < '3'
  state.replanned = replanned ~= '-' and string.sub(replanned, 2) or nil
end
