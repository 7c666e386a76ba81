-- The resource that a ticket waits for now.
local fitting = require('waiting/fitting')
local lines = require('waiting/lines')
local needs = require('waiting/needs')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local turns = require('waiting/turns')
local work = require('frame/work')
local waitsFor = {}

-- Returns true if an entry wants a SHARED hold that it may join.
local function mayJoin(entry, name)
  local record = entry.isShared and slotMap.recordAt(name)
  return record and shared.isSharedHold(name, record) and lines.conditionOf(name) == 'ready'
end

-- Returns the number of slots of a queue that are free for a ticket, `limit` at most if its slots can be booked.
function waitsFor.freeFor(ticket, queue, limit)
  local _, isBookable = lines.limitsOf(queue)
  return isBookable and fitting.freeFor(ticket, queue, limit) or lines.freeAt(queue)
end

-- Returns the queue of what an entry of a ticket lacks that is not free for it: its slot, or its pool, of which all
-- that the ticket lacks has to be free together; nil if it is free. Counts in `wanted` what the entries so far lack of
-- each pool.
local function shortOf(ticket, entry, queue, owner, wanted)
  local pool, count, left = entry.queue, wanted[entry.queue] or 0, entry.left or 1
  local key = queue .. '\n' .. owner .. '\n' .. (entry.role == 'moreSlot' and left or '')
  if waitsFor.freeFor(ticket, queue, 1) == 0 then
    return queue
  elseif not wanted[key] and waitsFor.freeFor(ticket, pool, count + left) - count < left then
    return pool
  end
  wanted[pool], wanted[key] = count + (wanted[key] and 0 or 1), true
end

-- Returns true if an entry belongs to a queue.
local function isIn(entry, queue)
  return entry.queue == queue or entry.slotQueue == queue
end

-- Returns true if what an entry of a ticket lacks, or joins, is still kept for tickets ahead where the ticket waits: it
-- may be free since the ticket was last looked at. `wanted`: as of shortOf(). Bookable slots count as kept.
local function isKeptFrom(ticket, entry, wanted)
  local queue = ticket.waitsFor
  local _, isBookable = lines.limitsOf(queue)
  local free = entry.queue == queue and lines.freeAt(queue) - (wanted[queue] or 0) or 0
  return isBookable or turns.keepersOf(queue, ticket.order, free, needs.metBy(entry), entry.isForCleaning) ~= nil
end

-- Returns what a ticket waits for now: the first queue in its plan in which it lacks something that is not free; else
-- what it waited for when last looked at, if that is kept from it; nil if none. Returns the entry of a blocker's hold
-- that is there, if it waits to join that.
function waitsFor.now(ticket)
  local last, joined, entries, wanted = nil, nil, needs.entriesOf(ticket) or {}, {}
  work.spend(#entries)
  for _, entry in ipairs(entries) do
    local owner, queue = needs.ownerOf(entry, ticket.requester), entry.slotQueue or entry.queue
    local lacks = needs.isLacked(entry, owner, ticket.requester)
    local short = lacks and not mayJoin(entry, entry.slot or entry.resource) and
      shortOf(ticket, entry, queue, owner, wanted)
    if short then
      return short
    elseif (lacks or entry.role == 'blocker') and isIn(entry, ticket.waitsFor) then
      last, joined = entry, not lacks and entry or nil
    end
  end
  if last and isKeptFrom(ticket, last, wanted) then
    return ticket.waitsFor, joined
  end
end

return waitsFor
