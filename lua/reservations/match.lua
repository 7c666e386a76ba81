-- Reserves one item of a request: what it names, or any resource that fits
-- (docs/specification.md#any-resource-that-fits). An item with a match has in its options (frame/items.lua)
--   match   the labels that are wanted, and not wanted: lines '<key>=<value>' and '<key>!=<value>', sorted; of the
--           wanted with the same key, any
--   prefix  that of the key, which the name must have (frame/admission.lua); nil any name
--   nth     which of the items with this match and requester it is in its request; nil the first
-- and as its resource a text that describes the match, until one is picked. reservations/search.lua finds resources.
local keys = require('frame/keys')
local matches = require('bookings/matches')
local ownership = require('reservations/owners')
local poolFields = require('slots/poolFields')
local registry = require('definitions/definitions')
local releasing = require('reservations/release')
local reserving = require('reservations/reserve')
local searching = require('reservations/search')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local wanted = require('reservations/wanted')
local work = require('frame/work')
local matching = {}

-- The options that a reservation by a match does not have.
local OF_MATCH = { match = true, prefix = true, nth = true, text = true, count = true, minTtl = true }

-- Searches that items of this call go on with: nothing that they have passed becomes free in between.
local searches

-- held[index][prefix]: the first reservations of a requester by a match, in the order in which they were made, of those
-- whose names have the prefix of a key. The index is the prefix of their members (slots/poolFields.lua). Fields: limit,
-- if there may be more; and freed, the length of `freed` then. made[index]: those that this call has made, which are
-- not in the name index yet.
local held, made

-- So many reservations by a match are read for a key with a prefix, to find those with this prefix.
local MAX_READ_FOR_PREFIX = 1000

-- Returns the record of a reservation that was made by a match; nil if it is over, or was undone.
local function recordOf(one, requester)
  local record = slotMap.recordAt(one.slot)
  return record and record.match and record.fence == one.fence and record.owner == requester and record or nil
end

-- Reads the first reservations of a requester by a match, of those that have a prefix of the key.
local function readHeld(index, requester, limit, ofKey)
  local members = redis.call(
    'ZRANGE', keys.nameIndex, '[' .. index, '(' .. string.sub(index, 1, -2) .. '\11', 'BYLEX', 'LIMIT', 0, limit
  )
  work.spend(3 + #members)
  local all, slots = {}, {}
  local function add(fence, slot)
    if string.sub(slot, 1, #ofKey) == ofKey then
      all[#all + 1], slots[#slots + 1] = { fence = fence, slot = slot }, slot
    end
  end
  for _, member in ipairs(members) do
    add(tonumber(string.sub(member, #index + 1, #index + 16)), string.sub(member, #index + 18))
  end
  for _, one in ipairs(made[index] or {}) do
    add(one.fence, one.slot)
  end
  slotMap.readSlots(slots)
  local found = { limit = #members == limit and limit or nil, freed = #releasing.freed }
  for _, one in ipairs(all) do
    local record = recordOf(one, requester)
    if record and string.sub(record.match[2], 1, #ofKey) == ofKey then
      found[#found + 1] = record
    end
  end
  return found
end

-- Returns the nth reservation that a requester has by the match of an item, in the order in which they were made; nil
-- if there are fewer.
local function nthHeld(requester, item, digest)
  local nth, ofKey = item.options.nth or 1, item.options.prefix or ''
  local index = poolFields.matchPrefix(requester, digest)
  held[index] = held[index] or {}
  local list = held[index][ofKey]
  if not list or list.freed ~= #releasing.freed or list.limit and nth > list.limit then
    local limit = ofKey ~= '' and MAX_READ_FOR_PREFIX or math.max(16, 2 * nth)
    list = readHeld(index, requester, limit, ofKey)
    held[index][ofKey] = list
  end
  local one = list[nth]
  local record = one and recordOf(one, requester)
  if record and record.match[1] == digest then
    return record
  end
  for i = #list, nth, -1 do
    -- They were made in this call, and undone.
    list[i] = nil
  end
end

-- Notes a reservation that was made by the match of an item.
local function noteMade(reservation, item, digest)
  local index = poolFields.matchPrefix(item.requester, digest)
  made[index] = made[index] or {}
  table.insert(made[index], reservation)
  for ofKey, list in pairs(held[index]) do
    if string.sub(reservation.requestedName, 1, #ofKey) == ofKey then
      table.insert(list, reservation)
    end
  end
end

-- Returns the search for an item: a new one, or the one that an item before it has begun.
local function searchFor(item, digest)
  local look = item.look
  local all = look and look.searches or searches
  local key = item.requester .. '\n' .. digest .. '\n' .. (item.options.prefix or '') .. '\n' .. (item.count or '') ..
    '\n' .. #releasing.freed .. '\n' .. (item.leaseMs or item.ttlMs or '')
  all[key] = all[key] or searching.newSearch(item, look or searching.newLook())
  return all[key]
end

-- Tries to reserve a resource for an item. minTtl: ms to which its lease may be cut, nil: it may not. Returns as
-- reserveOne().
local function try(item, name, digest, minTtl)
  local options = { matched = digest, minTtl = minTtl }
  for field, value in pairs(item.options) do
    if not OF_MATCH[field] then
      options[field] = value
    end
  end
  return reserving.reserveNamed({
    resource = name, requester = item.requester, ttlMs = item.ttlMs, type = item.type, token = item.token,
    label = item.label, count = item.count, session = item.session, leaseMs = item.leaseMs, options = options,
  })
end

-- Returns true if an ancestor of a resource was in the way of an earlier one, for the same requester.
local function isBelowHeld(search, name)
  local above = registry.definition(name).parent
  while above ~= '' and registry.definition(above) do
    if search.heldAbove[above] then
      return true
    end
    above = registry.definition(above).parent
  end
  return false
end

-- Notes a queue in which a ticket waits.
local function noteQueue(look, queue)
  if queue and not look.isIn[queue] and #look.queues < searching.MAX_QUEUES then
    look.isIn[queue] = true
    look.queues[#look.queues + 1] = queue
  end
end

-- Notes why a resource that fits could not be had.
local function noteRefusal(search, name, reply, queue)
  search.look.failed = search.look.failed + 1
  noteQueue(search.look, queue)
  matches.note(search, name, reply)
  if string.find(reply[2], 'NOT_AVAILABLE: ancestor ', 1, true) == 1 then
    search.heldAbove[reply.held] = true
  end
  search.kept = search.kept or string.find(reply[2], 'NOT_AVAILABLE: kept', 1, true) and reply[2]
end

-- Tries the resources that a search finds, until one can be had. Returns as reserveOne(), nil if none can.
local function pick(item, digest, search)
  local look = search.look
  look.limit = item.look and look.limit or work.done + searching.MAX_SEARCH_WORK
  local name = searching.nextOpen(search)
  while name and look.failed < searching.MAX_LOOKED and work.done < look.limit do
    work.spend(1)
    if not wanted.fits(search, name) then
      look.failed = look.failed + 1
    elseif ownership.reservationOn(name, nil, item.requester) then
      search.isFitting = true
    elseif isBelowHeld(search, name) then
      look.failed = look.failed + 1
    else
      search.isFitting = true
      local reply, reservation, queue = try(item, name, digest)
      if reservation then
        return reply, reservation, name
      end
      noteRefusal(search, name, reply, queue)
    end
    name = searching.nextOpen(search)
  end
  search.isCut = name ~= nil
  if item.options.minTtl then
    return matches.pick(search, function(booked)
      return try(item, booked, digest, item.options.minTtl)
    end)
  end
end

local NONE_FITS = 'NOT_VALID: no registered resource has all of these labels'

-- Returns false if certainly no resource has the labels that an item wants. Takes the look of its ticket.
function matching.isAnyFitting(item, look)
  return tenant.labelled and searching.isAnyFitting(searching.newSearch(item, look))
end

matching.newLook = searching.newLook

-- Returns the digest by which the reservations of a match are told: the condition is a part of it.
local function digestOf(item)
  local condition = item.options.condition
  return string.sub(redis.sha1hex(item.options.match .. (condition and '\n\127' .. condition or '')), 1, 16)
end

-- Returns the reservation that a requester has by the match of an item; nil if it has none.
function matching.reservationByMatch(requester, item)
  return tenant.labelled and nthHeld(requester, item, digestOf(item)) or nil
end

-- Returns the name of the queue in which tickets wait for the match of an item (waiting/queues.lua).
function matching.queueOf(item)
  local prefix, condition = item.options.prefix, item.options.condition
  local scope = (prefix or condition) and '\127' .. (condition or '') .. '\127' .. (prefix or '') or ''
  return '\8' .. (item.matchText or item.resource) .. scope
end

-- Returns the reply to an item for which a search has found nothing, and its queue, nil if it cannot wait.
local function refuse(item, search)
  local queue, look = matching.queueOf(item), search.look
  if search.isUnfinished then
    return { 'NOT_AVAILABLE', 'NOT_AVAILABLE', isUnfinished = true }, queue
  elseif not search.isCut and not search.isFitting and not searching.isAnyFitting(search) then
    return { 'NOT_VALID', NONE_FITS }
  end
  local why = search.isCut and 'NOT_AVAILABLE: looked at ' .. look.failed .. ' of them' or search.kept
  return not why and matches.refusal(search) or { 'NOT_AVAILABLE', why or 'NOT_AVAILABLE' }, queue
end

-- Reserves any resource that fits. Returns as reserveOne(). If the search has to go on in another call, the reply has
-- isUnfinished.
local function reserveMatch(item)
  item.matchText = item.matchText or item.resource
  item.resource = item.matchText
  local digest = digestOf(item)
  local had = nthHeld(item.requester, item, digest)
  if had then
    item.resource = had.match[2]
    return reserving.replyOfHad(had, item)
  end
  local fault = terms.whyNotAllowed(item)
  if fault then
    return { 'NOT_VALID', fault }
  end
  local search = searchFor(item, digest)
  if item.look then
    noteQueue(item.look, matching.queueOf(item))
  end
  local reply, reservation, name = pick(item, digest, search)
  if reservation then
    noteMade(reservation, item, digest)
    item.resource = name
    if search.label ~= '' and not registry.definition(name).pooled then
      -- The next search passes it, unless this is undone.
      tenant.marks[search.marks .. search.label .. '\n' .. name] = name
    end
    return reply, reservation
  end
  local refusal, queue = refuse(item, search)
  return refusal, nil, queue
end

-- Reserves any resource that fits an item's match. Returns as reserveOne().
local function reserveAny(item)
  if not tenant.labelled then
    return { 'NOT_VALID', NONE_FITS }
  end
  return reserveMatch(item)
end

-- Reserves an item (frame/items.lua). Returns as reserveNamed(); a match takes no `collected`.
function matching.reserveOne(item, collected)
  -- An item of a ticket has its session already (waiting/ask.lua).
  if item.session == nil and item.sessionId then
    item.session = tenant.sessions and tenant.sessions.of(item.sessionId, item.requester) or false
  end
  if item.session == false then
    return { 'NOT_VALID', 'NOT_VALID: there is no such session, or it has ended' }
  elseif item.options and item.options.match then
    return reserveAny(item)
  end
  return reserving.reserveNamed(item, collected)
end

function matching.begin()
  -- Few calls have a match: without one, the empty tables of the call before serve again.
  if not searches or next(searches) or next(held) or next(made) then
    searches, held, made = {}, {}, {}
  end
end

return matching
