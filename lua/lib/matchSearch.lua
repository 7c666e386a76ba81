-- Searches for a resource that fits (match.lua). A search walks the resources that have the rarest of the wanted
-- labels, in order of name. It passes those that are marked as held (marks.lua) without reading them, whole stretches
-- at once, and marks those that it finds held.
--@include labels
--@include matchNext

-- The options that a reservation does not keep.
local OF_MATCH = { match = true, nth = true, anchor = true, text = true, count = true }
-- Searches that items of this script go on with: nothing that they have passed becomes free in between.
local searches = {}

-- held[prefix]: the first reservations of a requester by a match, in the order in which they were made (marks.lua):
-- reservations with slot and fence; limit, if there may be more; and freed, the length of `freed` then. made[prefix]:
-- those that this script has made, which are not in the index yet.
local held, made = {}, {}

-- Reads the first reservations of a requester by a match.
local function readHeld(prefix, requester, limit)
  local members = redis.call(
    'ZRANGE', indexKey, '[' .. prefix, '(' .. string.sub(prefix, 1, -2) .. '\11', 'BYLEX', 'LIMIT', 0, limit
  )
  spend(3 + #members)
  local all, slots = {}, {}
  for i, member in ipairs(members) do
    all[i] = { fence = tonumber(string.sub(member, #prefix + 1, #prefix + 16)), slot = string.sub(member, #prefix + 18) }
  end
  for _, one in ipairs(made[prefix] or {}) do
    all[#all + 1] = one
  end
  for i, one in ipairs(all) do
    slots[i] = one.slot
  end
  readSlots(slots)
  local found = { limit = #members == limit and limit or nil, freed = #freed }
  for _, one in ipairs(all) do
    local record = recordAt(one.slot)
    if record and record.match and record.fence == one.fence and record.owner == requester then
      found[#found + 1] = record
    end
  end
  return found
end

-- Returns the nth reservation that a requester has by a match, in the order in which they were made; nil if there
-- are fewer.
local function nthHeld(requester, digest, nth)
  local prefix = tenant.matchPrefix(requester, digest)
  local list = held[prefix]
  if not list or list.freed ~= #freed or list.limit and nth > list.limit then
    list = readHeld(prefix, requester, math.max(16, 2 * nth))
    held[prefix] = list
  end
  local one = list[nth]
  local record = one and recordAt(one.slot)
  if record and record.match and record.fence == one.fence then
    return record
  end
  for i = #list, nth, -1 do
    -- They were made in this script, and undone.
    list[i] = nil
  end
end

-- Notes a reservation that was made by a match.
local function noteMade(reservation, requester, digest)
  local prefix = tenant.matchPrefix(requester, digest)
  made[prefix] = made[prefix] or {}
  table.insert(made[prefix], reservation)
  table.insert(held[prefix], reservation)
end

-- Returns the search for an item: a new one, or the one that an item before it has begun.
local function searchFor(item, digest)
  if item.isOfTicket then
    return newSearch(item)
  end
  local key = item.requester .. '\n' .. digest .. '\n' .. (item.count or '') .. '\n' .. #freed
  searches[key] = searches[key] or newSearch(item)
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
  return reserveOne({
    resource = name, requester = item.requester, ttlMs = item.ttlMs, type = item.type, token = item.token,
    label = item.label, count = item.count, session = item.session, leaseMs = item.leaseMs, options = options,
  })
end

-- Returns true if an ancestor of a resource was in the way of an earlier one, for the same requester.
local function isBelowHeld(search, name)
  local above = definition(name).parent
  while above ~= '' and definition(above) do
    if search.heldAbove[above] then
      return true
    end
    above = definition(above).parent
  end
  return false
end

-- Notes why a resource that fits could not be had.
local function noteRefusal(search, reply, line)
  search.failed = search.failed + 1
  if line and not search.isIn[line] and #search.lines < MAX_LINES then
    search.isIn[line] = true
    search.lines[#search.lines + 1] = line
  end
  if string.find(reply[2], 'NOT_AVAILABLE: ancestor ', 1, true) == 1 then
    search.heldAbove[reply.held] = true
  end
  search.kept = search.kept or string.find(reply[2], 'NOT_AVAILABLE: kept', 1, true) and reply[2]
end

-- Tries the resources that a search finds, until one can be had. Returns as reserveOne(), nil if none can.
local function pick(item, digest, search)
  local limit = work + MAX_SEARCH_WORK
  local name = nextOpen(search)
  while name and search.failed < MAX_LOOKED and work < limit do
    spend(1)
    if not fits(search, name) then
      search.failed = search.failed + 1
    elseif reservationOn(name, nil, item.requester) then
      search.isFitting = true
    elseif isBelowHeld(search, name) then
      search.failed = search.failed + 1
    else
      search.isFitting = true
      local reply, reservation, line = try(item, name, digest)
      if reservation then
        return reply, reservation, name
      end
      noteRefusal(search, reply, line)
    end
    name = nextOpen(search)
  end
  search.isCut = name ~= nil
end

tenant.fitsMatch = function(match, name)
  return fits({ groups = groupsOf(match), count = 1 }, name)
end

tenant.heldByMatch = function(requester, item)
  return nthHeld(requester, string.sub(redis.sha1hex(item.options.match), 1, 16), item.options.nth or 1)
end

-- Reserves any resource that fits. Returns as reserveOne(), and the lines in which a ticket of the item waits: its
-- own, and those of what was in the way. If the search has to go on in another script, the reply has isUnfinished.
tenant.reserveMatch = function(item)
  item.matchText = item.matchText or item.resource
  item.resource = item.matchText
  local match = item.options.match
  local digest = string.sub(redis.sha1hex(match), 1, 16)
  local had = nthHeld(item.requester, digest, item.options.nth or 1)
  if had then
    item.resource = had.match[2]
    return replyOfHad(had, item)
  end
  local fault = tenant.whyNotAllowed and tenant.whyNotAllowed(item)
  if fault then
    return { 'NOT_VALID', fault }
  end
  local search = searchFor(item, digest)
  local reply, reservation, name = pick(item, digest, search)
  if reservation then
    noteMade(reservation, item.requester, digest)
    item.resource = name
    if search.label ~= '' and not definition(name).pooled then
      -- The next search passes it, unless this is undone.
      tenant.marks[tenant.heldPrefix .. search.label .. '\n' .. name] = name
    end
    return reply, reservation
  end
  local line = '\8' .. item.matchText
  -- A ticket is stored with these (waiting/tickets.lua).
  item.options.anchor, item.options.text = search.anchor, item.matchText
  item.options.count = tonumber(item.count)
  if search.isUnfinished then
    return { 'NOT_AVAILABLE', 'NOT_AVAILABLE', isUnfinished = true }, nil, line, { line }
  elseif not search.isCut and not search.isFitting and not isAnyFitting(search) then
    return { 'NOT_VALID', 'NOT_VALID: no registered resource has these labels' }
  end
  local why = search.isCut and 'NOT_AVAILABLE: looked at ' .. search.failed .. ' of them' or
    search.kept or 'NOT_AVAILABLE'
  return { 'NOT_AVAILABLE', why }, nil, line, { line, unpack(search.lines) }
end
