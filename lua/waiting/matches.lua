-- The matches that tickets wait for (docs/specification.md#any-resource-that-fits). They are few, since each is
-- compared with every labelled resource that becomes free.
local agenda = require('waiting/agenda')
local lines = require('waiting/lines')
local matching = require('reservations/match')
local needs = require('waiting/needs')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local tickets = require('waiting/tickets')
local matches = {}
local MAX_MATCHES = 100

-- Begins walks for the matches that a resource fits which has a free slot again.
function matches.activateMatches(name)
  local own = tenant.labelled and lines.nthOf('\9', 1) and registry.definition(name)
  if not own or not own.hasLabels then
    return
  end
  for n = MAX_MATCHES, 1, -1 do
    local text, match = string.match(lines.nthOf('\9', n) or '', '^([^\n]*)\n(.*)$')
    if text and matching.fitsMatch(match, name) then
      agenda.addWalk('f', lines.MATCH .. text)
    end
  end
end

-- The part of requests that wait for a match (docs/specification.md#any-resource-that-fits).

matches.TOO_MANY_MATCHES = 'NOT_AVAILABLE: ' .. MAX_MATCHES .. ' other matches are being waited for'

-- Returns the lines of a ticket: those of its plan; or that of its match, which has no plan.
function matches.linesOfTicket(ticket)
  if tickets.matchOf(ticket) then
    return { lines.MATCH .. ticket.items[1].resource }
  end
  return needs.linesOf(needs.entriesOf(ticket) or {})
end

-- Returns the reservation that a requester has by the match of an item; nil if it has none.
function matches.heldByMatch(requester, item)
  if not tenant.labelled then
    return nil
  end
  return matching.reservationByMatch(requester, item)
end

-- Returns true if a ticket waits in the line of a match.
local function isAwaited(text)
  for _, kind in ipairs({ '\nw', '\nv', '\nu' }) do
    if lines.nthOf(lines.MATCH .. text .. kind, 1) then
      return true
    end
  end
  return false
end

-- Notes that a ticket is about to wait for a match. Returns false if too many others are waited for.
function matches.noteMatch(text, match)
  local member, count = text .. '\n' .. match, 0
  for n = MAX_MATCHES, 1, -1 do
    local other = lines.nthOf('\9', n)
    if other == member then
      return true
    end
    count = count + (other and 1 or 0)
  end
  for n = count == MAX_MATCHES and MAX_MATCHES or 0, 1, -1 do
    local other = lines.nthOf('\9', n)
    if not isAwaited(string.match(other, '^[^\n]*')) then
      lines.setMember('\9', other, false)
      count = count - 1
    end
  end
  if count >= MAX_MATCHES then
    return false
  end
  lines.setMember('\9', member, true)
  return true
end

return matches
