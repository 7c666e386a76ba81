-- Searches for a resource that fits (docs/specification.md#any-resource-that-fits): walks the resources that have the
-- rarest of the wanted labels, in order of name. It passes those that are marked as held, or as in another condition
-- (slots/poolFields.lua), without reading them, whole stretches at once, and marks those that it finds so. newSearch()
-- begins a search, nextOpen() returns its next resource, and isAnyFitting() tells at the end of one in vain whether any
-- fits. A search is a table:
--   groups, unwanted, prefix, count  what is wanted (reservations/wanted.lua)
--   condition    that of the wanted slots; marks: the prefix of the marks for it
--   walks        one for each label of the rarest group: {label, after, names, at, isEnd, step}
--   look         what has been done so far, of this search, or of all searches of a ticket (newLook())
--   isFitting    true if a resource that was looked at has the wanted labels
--   isUnfinished true if so many were passed that another call must go on
--   isCut        true if there may be more than it has looked at
--   heldAbove    the ancestors that were in the way
--   kept         the refusal if something is kept for tickets
--   booked       those that are booked too early (bookings/matches.lua)
--   last, label  the last resource that nextOpen() returned, and the label by which it found it, '' none
--
-- MAX_LOOKED is part of the contract. MAX_PASSED and MAX_SEARCH_WORK bound the work of one look.
local conditions = require('slots/conditions')
local keys = require('frame/keys')
local poolFields = require('slots/poolFields')
local pools = require('slots/pools')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local wanted = require('reservations/wanted')
local work = require('frame/work')
local searching = {}
local MAX_PASSED = 700
searching.MAX_LOOKED, searching.MAX_SEARCH_WORK, searching.MAX_QUEUES = 500, 6000, 200
local FIRST_STEP, MAX_STEP = 16, 256

-- Returns the bounds of the members with a prefix that ends with '\n', behind a name ('': from the first).
local function boundsOf(prefix, after)
  return after == '' and '[' .. prefix or '(' .. prefix .. after, '(' .. string.sub(prefix, 1, -2) .. '\11'
end

-- Returns the number of resources with a label, as far as the name index tells.
local function countOf(label)
  work.spend(2.5)
  return redis.call('ZLEXCOUNT', keys.nameIndex, boundsOf('l' .. label .. '\n', ''))
end

-- Returns the last name of the longest stretch behind a name in which all are marked as held. The marks are a part of
-- what is listed, so equal numbers mean that all are marked.
local function endOfHeld(search, label, after)
  local listed, marked = 'l' .. label .. '\n', search.marks .. label .. '\n'
  local first = redis.call('ZRANK', keys.nameIndex, listed .. after)
  local low, high, last = 0, redis.call('ZLEXCOUNT', keys.nameIndex, boundsOf(listed, after)), after
  while low < high do
    local middle = math.ceil((low + high) / 2)
    local member = redis.call('ZRANGE', keys.nameIndex, first + middle, first + middle)[1]
    local name = string.sub(member, #listed + 1)
    work.spend(8)
    if redis.call('ZLEXCOUNT', keys.nameIndex, '(' .. marked .. after, '[' .. marked .. name) >= middle then
      low, last = middle, name
    else
      high = middle - 1
    end
  end
  return last
end

-- Returns true if the only slot of a resource certainly is in another condition than a search wants. The conditions of
-- this call may be undone, so that it must not be marked for these.
local function isUnfit(search, name, own)
  return conditions.changed[1] == nil and not own.pooled and conditions.countOf(name, 1, search.condition) == 0
end

-- Returns the names that are not certainly held, and marks the others as held. It only looks whether there is a record
-- of a resource that is no pool, and at the condition of its slot, since many may have to be passed.
local function withoutHeld(search, marked, names)
  local found = {}
  if #names == 0 then
    return found
  end
  work.spend(4 * #names + slotMap.shortHashCost(tenant.count) * #names)
  local definitions = redis.call('HMGET', keys.definitions, unpack(names))
  local holds = redis.call('HMGET', keys.slots, unpack(names))
  for i, name in ipairs(names) do
    if registry.defined[name] == nil then
      registry.defined[name] = definitions[i] and registry.unpackDefinition(definitions[i])
    end
  end
  conditions.readCounts(names)
  for i, name in ipairs(names) do
    local own = registry.definition(name)
    local isHeld = own and not own.pooled and holds[i] and slotMap.records[name] == nil
    if isHeld or own and isUnfit(search, name, own) then
      tenant.marks[marked .. name] = true
      search.look.passed = search.look.passed + 1
    else
      if slotMap.records[name] == nil and not holds[i] then
        slotMap.records[name] = false
      end
      found[#found + 1] = name
    end
  end
  return found
end

-- Returns true if this call has marked a resource as held. What it took itself may be undone by now.
local function isMarkedNow(marked, name)
  local mark = tenant.marks[marked .. name]
  return mark == true or mark and slotMap.recordAt(mark) and true
end

-- Reads the next names of a walk that are not held, as far as that is known.
local function readOn(search, walk)
  local listed, marked = 'l' .. walk.label .. '\n', search.marks .. walk.label .. '\n'
  walk.names, walk.at = {}, 1
  while #walk.names == 0 and not walk.isEnd and search.look.passed < MAX_PASSED do
    local lower, upper = boundsOf(listed, walk.after)
    local members = redis.call('ZRANGE', keys.nameIndex, lower, upper, 'BYLEX', 'LIMIT', 0, walk.step)
    work.spend(4 + #members / 3)
    walk.isEnd = #members < walk.step
    local last = members[1] and string.sub(members[#members], #listed + 1)
    local isHeld, names = {}, {}
    for _, member in ipairs(last and redis.call(
      'ZRANGE', keys.nameIndex, (boundsOf(marked, walk.after)), '[' .. marked .. last, 'BYLEX', 'LIMIT', 0, walk.step
    ) or {}) do
      isHeld[string.sub(member, #marked + 1)] = true
    end
    for _, member in ipairs(members) do
      local name = string.sub(member, #listed + 1)
      if not isHeld[name] and not isMarkedNow(marked, name) then
        names[#names + 1] = name
      end
    end
    walk.names, walk.after = withoutHeld(search, marked, names), last or walk.after
    if #names == 0 and not walk.isEnd then
      walk.after = endOfHeld(search, walk.label, walk.after)
    end
    walk.step = math.min(2 * walk.step, MAX_STEP)
  end
  slotMap.readSlots(walk.names)
end

-- Returns the resources that fit and have become free, were defined, or have slots in another condition, in this call,
-- in order of name: they may still be marked, or not listed yet.
local function freedNow(search)
  local names, found = { unpack(tenant.redefined or {}) }, {}
  for _, name in ipairs(slotMap.lostNames()) do
    names[#names + 1] = name
  end
  for _, change in ipairs(conditions.changed) do
    names[#names + 1] = change.resource
  end
  work.spend(#slotMap.changed / 20)
  registry.readDefinitions(names)
  for _, name in ipairs(names) do
    found[#found + 1] = wanted.fits(search, name) and name or nil
  end
  table.sort(found)
  return found
end

-- Begins to look for what the items of a request want. Fields:
--   passed       number of resources that were found held and not marked so
--   failed       number of resources that were looked at in vain
--   left         number of resources of which isAnyFitting() may still see whether they fit
--   searches     those of a ticket, by what they are for
--   queues, isIn  the queues of its matches, and of what was in their way (waiting/queues.lua); the same as a set
function searching.newLook()
  return { passed = 0, failed = 0, left = searching.MAX_LOOKED, searches = {}, queues = {}, isIn = {} }
end

-- Begins a search at the group of labels that the fewest resources have. Takes the look that it is a part of.
function searching.newSearch(item, look)
  local search = wanted.by(item.options.match, item.options.prefix, item.count)
  search.look, search.walks, search.heldAbove, search.booked = look, {}, {}, {}
  search.condition = item.options.condition or 'ready'
  search.marks = tenant.labelled and poolFields.heldPrefix(search.condition)
  local rarest, fewest = nil, math.huge
  work.spend(15)
  for _, group in ipairs(search.groups) do
    local count = 0
    for _, label in ipairs(group) do
      count = count + countOf(label)
    end
    if count < fewest then
      rarest, fewest = group, count
    end
  end
  for i, label in ipairs(rarest) do
    search.walks[i] = { label = label, after = '', names = {}, at = 1, isEnd = fewest == 0, step = FIRST_STEP }
  end
  local names = freedNow(search)
  if #names > 0 then
    table.insert(search.walks, { label = '', after = '', names = names, at = 1, isEnd = true })
  end
  return search
end

-- Returns true if a resource has no free slot in the wanted condition. A name whose definition is gone has none.
local function isFull(search, name)
  local own = registry.definition(name)
  if not own then
    return true
  elseif own.pooled then
    return conditions.freeOf(name, own.capacity, search.condition) == 0
  end
  return slotMap.recordAt(name) ~= false or conditions.at(name) ~= search.condition
end

-- Returns true if a resource that is full was so before this call, so that no rollback can change it.
local function isFullBefore(name)
  local own = registry.definition(name)
  local pool = own and own.pooled and pools.poolOf(name)
  return own and slotMap.original[name] == nil and (not pool or pool.held == pool.stored) and
    conditions.changed[1] == nil
end

-- Returns the walk that has the first name of all, and the name; nil at the end.
local function firstOf(search)
  local first, name
  for _, walk in ipairs(search.walks) do
    if not walk.names[walk.at] and not walk.isEnd then
      readOn(search, walk)
    end
    local head = walk.names[walk.at]
    if head and (not name or head < name) then
      first, name = walk, head
    end
  end
  return first, name
end

-- Returns the next resource that has a free slot of its own; nil at the end.
function searching.nextOpen(search)
  while search.look.passed < MAX_PASSED do
    local walk, name = firstOf(search)
    if search.look.passed >= MAX_PASSED then
      break
    elseif not walk then
      return nil
    end
    walk.at = walk.at + 1
    search.label = walk.label
    if name ~= search.last and not isFull(search, name) then
      search.last = name
      return name
    end
    search.look.passed = search.look.passed + 1
    if walk.label ~= '' and isFullBefore(name) then
      tenant.marks[search.marks .. walk.label .. '\n' .. name] = true
    end
  end
  search.isUnfinished = true
end

-- Returns whether a resource among the next ones with a label fits, held or not, and the number that were looked at.
local function isFittingIn(search, prefix, after, many)
  local lower, upper = boundsOf(prefix, after)
  local members = redis.call('ZRANGE', keys.nameIndex, lower, upper, 'BYLEX', 'LIMIT', 0, many)
  work.spend(3 + #members / 3)
  for i, member in ipairs(members) do
    after = string.sub(member, #prefix + 1)
    if wanted.fits(search, after) then
      return true, i
    end
  end
  return false, #members, after
end

-- Returns false if certainly no resource has the wanted labels. Looks at the first MAX_LOOKED of a look, held or not.
function searching.isAnyFitting(search)
  local look = search.look
  for _, walk in ipairs(search.walks) do
    local after, many = '', 4
    for _, name in ipairs(walk.label == '' and walk.names or {}) do
      if wanted.fits(search, name) then
        return true
      end
    end
    repeat
      local isThere, count = false, 0
      if walk.label ~= '' then
        isThere, count, after = isFittingIn(search, 'l' .. walk.label .. '\n', after, many)
      end
      look.left = look.left - count
      if isThere or look.left < 0 then
        return true
      end
      local isEnd = count < many
      many = math.min(FIRST_STEP, look.left + 1)
    until isEnd
  end
  return false
end

return searching
