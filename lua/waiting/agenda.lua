-- What settling still has to do: a list of walks. A walk goes through some tickets in the order of the queue. It is one
-- member \5 of the lines, which says how far it has come:
--   <order><kind><name>
-- The tickets of the walk from this order (8 bytes) on are still to be looked at. So the first member is the walk to go
-- on with, and tickets are looked at in the order of the queue, whichever walk they belong to. Kinds:
--   whether a ticket is next, compared with what was seen of it (seen.lua):
--     T  the tickets of the line `name` whose turn has come, and those that were seen as next
--     O  the ticket whose order is `name`
--   whether a ticket can be granted:
--     f  the first tickets that wait for `name`, while some of it is free; or for a match
--     j  the same, also while a blocker's hold of `name` can be joined
--     r  the tickets of the requester `name`
--     s  the ticket whose order is `name`
--     a  all tickets
-- Two walks of one kind and name that have come equally far are one.
local lines = require('waiting/lines')
local state = require('waiting/state')
local work = require('frame/work')
local agenda = {}

-- The place of a walk that has not begun: it is before all orders.
agenda.FRONT = string.rep('\0', 8)

-- Adds a walk, from the front on.
function agenda.addWalk(kind, name)
  lines.setMember('\5', agenda.FRONT .. kind .. name, true)
  state.isUnsettled = true
  work.spend(1)
end

-- Has those looked at from whom something was kept in a line: less may be kept there now.
function agenda.stirKept(name)
  if lines.isLineKept(name) then
    agenda.addWalk('j', name)
  end
end

-- Has the turns in a line looked at: they may have changed. If nothing is kept anywhere, only those matter that were
-- seen as next.
function agenda.stirTurns(name)
  if state.hasKept or lines.nthOf(name .. '\nk', 1) then
    agenda.addWalk('T', name)
  end
end

return agenda
