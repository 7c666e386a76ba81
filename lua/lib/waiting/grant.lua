-- Grants tickets: carries out their requests. The caller's next call claims the grant (claim.lua). Until then the
-- reservations have the token UNCLAIMED, and end claimMs after the grant.
--@include acquiredSlots
--@include leaseAsJson
--@include reserveOne
--@include unclaimed
--@include undo
--@include waiting/endings
--@include waiting/keeping

-- claims: what claim.lua has to claim for this request, in order: {slot, item, reply} for a reservation that it was
-- told of, {ticket, items} for a ticket that it continues.
local claims = {}

-- Forgets claims, but for the first ones.
local function dropClaims(count)
  for i = #claims, count + 1, -1 do
    claims[i] = nil
  end
end

-- Returns the item of a request as reserveOne() takes it. A live request has a caller, who is told the token at once.
local function itemToGrant(ticket, item)
  if ticket.isLive then
    return {
      resource = item.resource, requester = ticket.requester, ttlMs = item.ttlMs, type = item.type, token = item.token,
      count = item.count, options = item.options, session = item.session, isOfTicket = true,
    }
  end
  return {
    resource = item.resource, requester = ticket.requester, ttlMs = ticket.claimMs, leaseMs = item.ttlMs,
    type = item.type, token = UNCLAIMED, label = ticket.label, count = item.count, options = item.options,
    session = item.session, waited = nowMs - ticket.since, isOfTicket = true,
  }
end

-- Carries out all items of a request, on paper. Returns an array of {reply, reservation}; or nil, the place of the item
-- that failed, its reply, the name of the line that refused it, what was kept (keptEntries) and, for a match, the names
-- of all lines that refused it. `mark` is the journal's length before.
local function carryOutAll(ticket, mark)
  local done, entries = {}, {}
  for i, item in ipairs(ticket.items) do
    local reply, reservation, refusal, refusals = reserveOne(itemToGrant(ticket, item), entries)
    if not reply[3] then
      return nil, i - 1, reply, refusal, nil, refusals
    end
    done[i] = { reply, reservation }
  end
  local kept = keptEntries(entries, mark)
  if kept then
    return nil, 0, keptReply(), kept[1].line, kept
  end
  return done
end

-- Carries out the first item of a request that can be, on paper. Returns as carryOutAll(), the names of the lines that
-- refused the items, and an array of {reply} for all items.
local function carryOutFirst(ticket)
  local refusals, first, place, fallback = {}, nil, nil, nil
  for i, item in ipairs(ticket.items) do
    if hadFor(item, ticket.requester) then
      return { [i] = { (reserveOne(itemToGrant(ticket, item))) } }
    end
  end
  local tried = {}
  for i, item in ipairs(ticket.items) do
    local reply, reservation, refusal = reserveOne(itemToGrant(ticket, item))
    if reply[3] then
      tried[i] = { reply, reservation }
      return tried
    end
    tried[i] = { reply }
    fallback = fallback or reply
    if reply[1] ~= 'NOT_VALID' and refusal then
      refusals[#refusals + 1] = refusal
      first, place = first or reply, place or i - 1
    end
  end
  return nil, place or 0, first or fallback, refusals[1], nil, refusals, tried
end

-- Carries out the request of a ticket at its rank. Returns what carryOutAll() or carryOutFirst() does, but for `kept`;
-- if it fails, nothing has changed.
local function carryOut(ticket)
  local mark, fence, rank, claimCount = #journal, tenant.fence, judged.rank, #claims
  judged.rank = ticket.order
  local done, place, reply, refusal, kept, refusals, tried
  if ticket.method == 'FIRST' then
    done, place, reply, refusal, kept, refusals, tried = carryOutFirst(ticket)
  else
    done, place, reply, refusal, kept, refusals = carryOutAll(ticket, mark)
  end
  if not done then
    undo(mark)
    dropClaims(claimCount)
    tenant.fence = fence
    if kept and mayTake(kept) then
      judged.isExcused = true
      done = carryOutAll(ticket, mark)
      judged.isExcused = false
    end
  end
  if not done then
    tenant.fence = fence
  end
  judged.rank = rank
  return done, place, reply, refusal, refusals, tried
end

-- Returns true if carrying a request out made a reservation: else its requester had it all.
local function isMadeIn(done)
  for _, one in pairs(done) do
    if one[2] then
      return true
    end
  end
  return false
end

-- Emits the events of a grant.
local function emitGrant(ticket, done)
  if tenant.listenUntil == 0 then
    return
  end
  if ticket.method == '' then
    local reply, item = done[1][1], ticket.items[1]
    emit('RESERVED', {
      requestType = 'RESERVE', resource = done[1][2].requestedName, requester = ticket.requester, explanation = 'ACQUIRED',
      resourceType = item.type, apiKeyLabel = ticket.label, fencingToken = reply[3], expiresAt = reply[4],
      acquiredSlots = slotsAsJson(reply[6]), note = item.options and item.options.note,
    })
  else
    emitOfTicket('TRANSACTION_APPLIED', 'TRANSACTION', ticket, 'APPLIED', function(i)
      local reply, made = done[i] and done[i][1], done[i] and done[i][2]
      if not made then
        -- An item before it got the reservation, which is unclaimed as this one would be.
        return reply and reply[1] == 'ACQUIRED' and 'ALREADY_HAD' or reply and reply[1] or 'NOT_AVAILABLE'
      end
      return 'ACQUIRED', leaseAsJson(reply, made.note)
    end)
  end
  emitOfTicket('WAIT_ENDED', 'WAIT', ticket, 'ACQUIRED')
end

-- Notes the line in which a ticket waits if a slot is free there, and kept.
local function noteWaitsFor(ticket)
  if matchOf(ticket) then
    for _, name in ipairs(ticket.others) do
      if freeAt(name) > 0 then
        keepLine(name)
      end
    end
  elseif freeAt(ticket.waitsFor) > 0 then
    keepLine(ticket.waitsFor)
  end
end

-- Grants a ticket if that is possible now. Returns true if it did; else false, and the ticket waits for what refused
-- it.
local function tryGrant(ticket)
  if ticket.status ~= 'attended' and ticket.status ~= 'detached' then
    return false
  elseif not matchOf(ticket) and isKeptFrom(ticket) then
    keepLine(ticket.waitsFor)
    return false
  end
  spend(25 + 10 * #ticket.lines)
  local done, _, reply, refusal, refusals = carryOut(ticket)
  if not done then
    if not refusal and matchOf(ticket) then
      endTicket(ticket, 'NOT_VALID', 'NOT_VALID', 'NOT_VALID: its definitions have changed', -1)
      return false
    elseif not refusal then
      return false
    elseif reply.isUnfinished then
      noteLine(refusal, { skipped = 0 })
      return false
    end
    local others = { unpack(refusals or {}, 2) }
    if refusal ~= ticket.waitsFor or table.concat(others, '\n') ~= table.concat(ticket.others, '\n') then
      changeTicket(ticket, { waitsFor = refusal, others = others })
    end
    noteWaitsFor(ticket)
    return false
  end
  local slots = {}
  for i = 1, #ticket.items do
    local made = done[i] and done[i][2]
    if made then
      slots[#slots + 1] = made.slot .. '\n'
    end
  end
  if #slots == 0 then
    endTicket(ticket, 'ALREADY_HAD')
    return true
  end
  emitGrant(ticket, done)
  wake(ticket, 'GRANTED')
  changeTicket(ticket, {
    status = 'granted', slots = table.concat(slots), grantedAt = nowMs,
    due = ticket.session ~= '' and math.huge or nowMs + ticket.claimMs,
  })
  return true
end
