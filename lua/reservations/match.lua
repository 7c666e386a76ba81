-- Reserves one item of a request: what it names, or any resource that fits
-- (docs/specification.md#any-resource-that-fits). An item with a match has in its options (frame/items.lua)
--   match   the labels that are wanted: lines '<key>=<value>', sorted; of lines with the same key, any
--   nth     which of the items with this match and requester it is in its request; nil the first
--   anchor  in a ticket: a resource that fits; text and count: as in the item
-- and as its resource a text that describes the match, until one is picked. reservations/search.lua finds resources.
local keys = require('frame/keys')
local ownership = require('reservations/owners')
local poolFields = require('slots/poolFields')
local registry = require('definitions/definitions')
local releasing = require('reservations/release')
local reserving = require('reservations/reserve')
local searching = require('reservations/search')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local terms = require('reservations/terms')
local work = require('frame/work')
local matching = {}

-- The options that a reservation does not keep.
local OF_MATCH = { match = true, nth = true, anchor = true, text = true, count = true }

-- Searches that items of this call go on with: nothing that they have passed becomes free in between.
local searches

-- held[prefix]: the first reservations of a requester by a match, in the order in which they were made
-- (slots/poolFields.lua): reservations with slot and fence; limit, if there may be more; and freed, the length of
-- `freed` then. made[prefix]: those that this call has made, which are not in the name index yet.
local held, made

-- Reads the first reservations of a requester by a match.
local function readHeld(prefix, requester, limit)
  local members = redis.call(
    'ZRANGE', keys.nameIndex, '[' .. prefix, '(' .. string.sub(prefix, 1, -2) .. '\11', 'BYLEX', 'LIMIT', 0, limit
  )
  work.spend(3 + #members)
  local all, slots = {}, {}
  for i, member in ipairs(members) do
    local fence, slot = string.sub(member, #prefix + 1, #prefix + 16), string.sub(member, #prefix + 18)
    all[i] = { fence = tonumber(fence), slot = slot }
  end
  for _, one in ipairs(made[prefix] or {}) do
    all[#all + 1] = one
  end
  for i, one in ipairs(all) do
    slots[i] = one.slot
  end
  slotMap.readSlots(slots)
  local found = { limit = #members == limit and limit or nil, freed = #releasing.freed }
  for _, one in ipairs(all) do
    local record = slotMap.recordAt(one.slot)
    if record and record.match and record.fence == one.fence and record.owner == requester then
      found[#found + 1] = record
    end
  end
  return found
end

-- Returns the nth reservation that a requester has by a match, in the order in which they were made; nil if there
-- are fewer.
local function nthHeld(requester, digest, nth)
  local prefix = poolFields.matchPrefix(requester, digest)
  local list = held[prefix]
  if not list or list.freed ~= #releasing.freed or list.limit and nth > list.limit then
    list = readHeld(prefix, requester, math.max(16, 2 * nth))
    held[prefix] = list
  end
  local one = list[nth]
  local record = one and slotMap.recordAt(one.slot)
  if record and record.match and record.fence == one.fence then
    return record
  end
  for i = #list, nth, -1 do
    -- They were made in this call, and undone.
    list[i] = nil
  end
end

-- Notes a reservation that was made by a match.
local function noteMade(reservation, requester, digest)
  local prefix = poolFields.matchPrefix(requester, digest)
  made[prefix] = made[prefix] or {}
  table.insert(made[prefix], reservation)
  table.insert(held[prefix], reservation)
end

-- Returns the search for an item: a new one, or the one that an item before it has begun.
local function searchFor(item, digest)
  if item.isOfTicket then
    return searching.newSearch(item)
  end
  local key = item.requester .. '\n' .. digest .. '\n' .. (item.count or '') .. '\n' .. #releasing.freed
  searches[key] = searches[key] or searching.newSearch(item)
  return searches[key]
end

-- Tries to reserve a resource for an item. Returns as reserveOne().
local function try(item, name, digest)
  local options = { matched = digest }
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

-- Notes why a resource that fits could not be had.
local function noteRefusal(search, reply, queue)
  search.failed = search.failed + 1
  if queue and not search.isIn[queue] and #search.queues < searching.MAX_QUEUES then
    search.isIn[queue] = true
    search.queues[#search.queues + 1] = queue
  end
  if string.find(reply[2], 'NOT_AVAILABLE: ancestor ', 1, true) == 1 then
    search.heldAbove[reply.held] = true
  end
  search.kept = search.kept or string.find(reply[2], 'NOT_AVAILABLE: kept', 1, true) and reply[2]
end

-- Tries the resources that a search finds, until one can be had. Returns as reserveOne(), nil if none can.
local function pick(item, digest, search)
  local limit = work.done + searching.MAX_SEARCH_WORK
  local name = searching.nextOpen(search)
  while name and search.failed < searching.MAX_LOOKED and work.done < limit do
    work.spend(1)
    if not searching.fits(search, name) then
      search.failed = search.failed + 1
    elseif ownership.reservationOn(name, nil, item.requester) then
      search.isFitting = true
    elseif isBelowHeld(search, name) then
      search.failed = search.failed + 1
    else
      search.isFitting = true
      local reply, reservation, queue = try(item, name, digest)
      if reservation then
        return reply, reservation, name
      end
      noteRefusal(search, reply, queue)
    end
    name = searching.nextOpen(search)
  end
  search.isCut = name ~= nil
end

function matching.fitsMatch(match, name)
  return searching.fits({ groups = searching.groupsOf(match), count = 1 }, name)
end

function matching.reservationByMatch(requester, item)
  return nthHeld(requester, string.sub(redis.sha1hex(item.options.match), 1, 16), item.options.nth or 1)
end

-- Reserves any resource that fits. Returns as reserveOne(), and the queues in which a ticket of the item waits: its
-- own, and those of what was in the way. If the search has to go on in another call, the reply has isUnfinished.
local function reserveMatch(item)
  item.matchText = item.matchText or item.resource
  item.resource = item.matchText
  local match = item.options.match
  local digest = string.sub(redis.sha1hex(match), 1, 16)
  local had = nthHeld(item.requester, digest, item.options.nth or 1)
  if had then
    item.resource = had.match[2]
    return reserving.replyOfHad(had, item)
  end
  local fault = terms.whyNotAllowed(item)
  if fault then
    return { 'NOT_VALID', fault }
  end
  local search = searchFor(item, digest)
  local reply, reservation, name = pick(item, digest, search)
  if reservation then
    noteMade(reservation, item.requester, digest)
    item.resource = name
    if search.label ~= '' and not registry.definition(name).pooled then
      -- The next search passes it, unless this is undone.
      tenant.marks[poolFields.heldPrefix() .. search.label .. '\n' .. name] = name
    end
    return reply, reservation
  end
  local queue = '\8' .. item.matchText
  -- A ticket is stored with these (waiting/tickets.lua).
  item.options.anchor, item.options.text = search.anchor, item.matchText
  item.options.count = tonumber(item.count)
  if search.isUnfinished then
    return { 'NOT_AVAILABLE', 'NOT_AVAILABLE', isUnfinished = true }, nil, queue, { queue }
  elseif not search.isCut and not search.isFitting and not searching.isAnyFitting(search) then
    return { 'NOT_VALID', 'NOT_VALID: no registered resource has these labels' }
  end
  local why = search.isCut and 'NOT_AVAILABLE: looked at ' .. search.failed .. ' of them' or
    search.kept or 'NOT_AVAILABLE'
  return { 'NOT_AVAILABLE', why }, nil, queue, { queue, unpack(search.queues) }
end

-- Reserves any resource that fits an item's match. Returns as reserveOne().
local function reserveAny(item)
  if not tenant.labelled then
    return { 'NOT_VALID', 'NOT_VALID: no registered resource has these labels' }
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
