-- The part of requests that wait for a match (docs/specification.md#any-resource-that-fits).
--@include waiting/matches
--@include waiting/needs
local TOO_MANY_MATCHES = 'NOT_AVAILABLE: ' .. MAX_MATCHES .. ' other matches are being waited for'

-- Returns the lines of a ticket: those of its plan; or that of its match, which has no plan.
local function linesOfTicket(ticket)
  if matchOf(ticket) then
    return { MATCH .. ticket.items[1].resource }
  end
  return linesOf(entriesOf(ticket) or {})
end

-- Returns the reservation that a requester has by the match of an item; nil if it has none.
local function heldByMatch(requester, item)
  if not tenant.labelled then
    return nil
  elseif not tenant.heldByMatch then
    tenant.openMatch()
  end
  return tenant.heldByMatch(requester, item)
end

-- Returns true if a ticket waits in the line of a match.
local function isAwaited(text)
  for _, kind in ipairs({ '\nw', '\nv', '\nu' }) do
    if nthOf(MATCH .. text .. kind, 1) then
      return true
    end
  end
  return false
end

-- Notes that a ticket is about to wait for a match. Returns false if too many others are waited for.
local function noteMatch(text, match)
  local member, count = text .. '\n' .. match, 0
  for n = MAX_MATCHES, 1, -1 do
    local other = nthOf('\9', n)
    if other == member then
      return true
    end
    count = count + (other and 1 or 0)
  end
  for n = count == MAX_MATCHES and MAX_MATCHES or 0, 1, -1 do
    local other = nthOf('\9', n)
    if not isAwaited(string.match(other, '^[^\n]*')) then
      setMember('\9', other, false)
      count = count - 1
    end
  end
  if count >= MAX_MATCHES then
    return false
  end
  setMember('\9', member, true)
  return true
end
