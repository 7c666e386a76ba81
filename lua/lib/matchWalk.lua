-- The walk of a search for a resource that fits (match.lua). A search is a table:
--   groups       the wanted labels by key: arrays of '<key>=<value>', of which one must be there
--   count        the number of slots that are wanted
--   walks        one for each label of the rarest group: {label, after, names, at, isEnd, step}
--   passed       number of resources that were found held and not marked so
--   failed       number of resources that were looked at in vain
--   isFitting    true if one of them has the wanted labels
--   isUnfinished true if it has passed so many that another script must go on
--   isCut        true if there may be more than it has looked at
--   lines, isIn  what was in the way (waiting/lines.lua); the same as a set
--   heldAbove    the ancestors that were in the way
--   kept         the refusal if something is kept for tickets
--   last, label  the last resource that nextOpen() returned, and the label by which it found it, '' none
--
-- MAX_LOOKED is part of the contract. MAX_PASSED and MAX_SEARCH_WORK bound the work of one item.
local MAX_LOOKED, MAX_PASSED, MAX_SEARCH_WORK, MAX_LINES = 500, 700, 6000, 200
local FIRST_STEP, MAX_STEP = 16, 256

-- Returns the bounds of the members with a prefix that ends with '\n', behind a name ('': from the first).
local function boundsOf(prefix, after)
  return after == '' and '[' .. prefix or '(' .. prefix .. after, '(' .. string.sub(prefix, 1, -2) .. '\11'
end

-- Returns the number of resources with a label, as far as the index tells.
local function countOf(label)
  spend(2.5)
  return redis.call('ZLEXCOUNT', indexKey, boundsOf('l' .. label .. '\n', ''))
end

-- Returns the last name of the longest stretch behind a name in which all are marked as held. The marks are a part of
-- what is listed, so equal numbers mean that all are marked.
local function endOfHeld(label, after)
  local listed, marked = 'l' .. label .. '\n', tenant.heldPrefix .. label .. '\n'
  local first = redis.call('ZRANK', indexKey, listed .. after)
  local low, high, last = 0, redis.call('ZLEXCOUNT', indexKey, boundsOf(listed, after)), after
  while low < high do
    local middle = math.ceil((low + high) / 2)
    local member = redis.call('ZRANGE', indexKey, first + middle, first + middle)[1]
    local name = string.sub(member, #listed + 1)
    spend(8)
    if redis.call('ZLEXCOUNT', indexKey, '(' .. marked .. after, '[' .. marked .. name) >= middle then
      low, last = middle, name
    else
      high = middle - 1
    end
  end
  return last
end

-- Returns the names that are not certainly held, and marks the others as held. It only looks whether there is a record
-- of a resource that is no pool, since many may have to be passed.
local function withoutHeld(search, marked, names)
  local found = {}
  if #names == 0 then
    return found
  end
  spend(4 * #names + shortHashCost(tenant.count) * #names)
  local definitions = redis.call('HMGET', definitionsKey, unpack(names))
  local holds = redis.call('HMGET', slotsKey, unpack(names))
  for i, name in ipairs(names) do
    if defined[name] == nil then
      defined[name] = definitions[i] and unpackDefinition(definitions[i])
    end
    if records[name] == nil and holds[i] and definition(name) and not definition(name).pooled then
      tenant.marks[marked .. name] = true
      search.passed = search.passed + 1
    else
      if records[name] == nil and not holds[i] then
        records[name] = false
      end
      found[#found + 1] = name
    end
  end
  return found
end

-- Reads the next names of a walk that are not held, as far as that is known.
local function readOn(search, walk)
  local listed, marked = 'l' .. walk.label .. '\n', tenant.heldPrefix .. walk.label .. '\n'
  walk.names, walk.at = {}, 1
  while #walk.names == 0 and not walk.isEnd and search.passed < MAX_PASSED do
    local lower, upper = boundsOf(listed, walk.after)
    local members = redis.call('ZRANGE', indexKey, lower, upper, 'BYLEX', 'LIMIT', 0, walk.step)
    spend(4 + #members / 3)
    walk.isEnd = #members < walk.step
    local last = members[1] and string.sub(members[#members], #listed + 1)
    local isHeld, names = {}, {}
    for _, member in ipairs(last and redis.call(
      'ZRANGE', indexKey, (boundsOf(marked, walk.after)), '[' .. marked .. last, 'BYLEX', 'LIMIT', 0, walk.step
    ) or {}) do
      isHeld[string.sub(member, #marked + 1)] = true
    end
    for _, member in ipairs(members) do
      local name = string.sub(member, #listed + 1)
      if not isHeld[name] and not tenant.marks[marked .. name] then
        names[#names + 1] = name
      end
    end
    walk.names, walk.after = withoutHeld(search, marked, names), last or walk.after
    if #names == 0 and not walk.isEnd then
      walk.after = endOfHeld(walk.label, walk.after)
    end
    walk.step = math.min(2 * walk.step, MAX_STEP)
  end
  readSlots(walk.names)
end

-- Returns the wanted labels by key.
local function groupsOf(match)
  local groups, keys = {}, {}
  for label in string.gmatch(match, '[^\n]+') do
    local key = string.match(label, '^[^=]*')
    if not keys[key] then
      keys[key] = {}
      groups[#groups + 1] = keys[key]
    end
    table.insert(keys[key], label)
  end
  return groups
end

-- Returns true, and notes it as search.anchor, if a resource has the wanted labels, and as many slots.
local function fits(search, name)
  local own = definition(name)
  if not own or own.isGroup or not own.hasLabels or own.capacity < search.count then
    return false
  end
  local labels = '\n' .. table.concat(labelsOf(name), '\n') .. '\n'
  for _, group in ipairs(search.groups) do
    local isThere = false
    for _, label in ipairs(group) do
      isThere = isThere or string.find(labels, '\n' .. label .. '\n', 1, true) ~= nil
    end
    if not isThere then
      return false
    end
  end
  search.anchor = name
  return true
end

-- Returns the resources that fit and have become free, or were defined, in this script, in order of name: they may
-- still be marked, or not listed yet.
local function freedNow(search)
  local names, found, isIn = { unpack(tenant.redefined or {}) }, {}, {}
  for _, slot in ipairs(changed) do
    local before, record = original[slot], records[slot]
    local name = before and not (record and record.pool == before.pool) and (before.pool ~= '' and before.pool or slot)
    if name and not isIn[name] then
      isIn[name] = true
      names[#names + 1] = name
    end
  end
  spend(#changed / 20)
  readDefinitions(names)
  for _, name in ipairs(names) do
    found[#found + 1] = fits(search, name) and name or nil
  end
  table.sort(found)
  return found
end

-- Begins a search at the group of labels that the fewest resources have.
local function newSearch(item)
  local search = {
    groups = groupsOf(item.options.match), count = tonumber(item.count) or 1, walks = {}, passed = 0, failed = 0, lines = {}, isIn = {}, heldAbove = {},
  }
  local rarest, fewest = nil, math.huge
  spend(15)
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

-- Returns true if all slots of a resource are held. A name whose definition is gone has none.
local function isFull(name)
  local own = definition(name)
  if not own then
    return true
  elseif own.pooled then
    return heldOf(name) >= own.capacity
  end
  return recordAt(name) ~= false
end

-- Returns true if a resource that is full was so before this script, so that no rollback can change it.
local function isFullBefore(name)
  local own = definition(name)
  return own and original[name] == nil and (not own.pooled or poolOf(name).held == poolOf(name).stored)
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
