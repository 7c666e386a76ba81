-- Changing definitions: they are decided on in the tables of definitions.lua and written at the end, by commitDefinitions().
-- Where there is a database, a change takes three steps (decisions, section 10): it is planned here, which charges it and refuses what cannot
-- be done; written to the database, if that has the definitions in the same version; and applied here, likewise. To replan is to plan
-- what was charged already. Without a database it is done now, in one step.
local redefined, redefinedOrder = {}, {}

-- Whether the definitions are not, or not any more, those for which a change was planned. Whoever copies them here from the database
-- just now may have read them before that change, or after later ones, and must begin anew.
local function isStale(phase, version)
  return phase == 'apply' and (redis.call('DEL', base .. 'copying') == 1 or definitionsVersion ~= version)
end

-- The lines of a text, each ended by '\n'.
local function lines(text)
  local found = {}
  for line in string.gmatch(text, '[^\n]+') do
    found[#found + 1] = line
  end
  return found
end

local function change(name, one)
  if redefined[name] == nil then
    redefined[name] = definition(name)
    redefinedOrder[#redefinedOrder + 1] = name
  end
  defined[name] = one
end

-- Gives a name another definition.
local function define(name, capacity, parent, blocks)
  local before = definition(name)
  local pooled = capacity > 1 or before and before.pooled and poolOf(name).held > 0 or false
  change(name, { capacity = capacity, parent = parent, blocks = blocks, pooled = pooled })
end

-- Gives a name no definition.
local function undefine(name)
  change(name, false)
end

-- Slots of a pool that are held as plain resources become the pool's, still under the names that they were asked for by.
local function adoptLoose(name)
  local capacity = definition(name).capacity
  local before = redefined[name] and redefined[name].capacity or 1
  local loose = capacity > before and tonumber(redis.call('HGET', base .. 'loose:' .. epoch, name) or 0) or 0
  for from = 0, capacity - 1, 1000 do
    if loose == 0 then
      break
    end
    local slots = {}
    for index = from, math.min(from + 999, capacity - 1) do
      slots[#slots + 1] = name .. '_' .. index
    end
    read(slots)
    for _, slot in ipairs(slots) do
      local record = records[slot]
      if record and record.pool == '' then
        put(slot, with(record, { pool = name, byName = true }))
        loose = loose - 1
      end
    end
  end
end

-- Slots of a pool that is no longer one become plain resources, held as they are.
local function loosen(name)
  local index = redis.call('BITPOS', bitsKey(name), 1)
  while index >= 0 do
    local slot = name .. '_' .. index
    local record = at(slot)
    if record and record.pool == name then
      put(slot, with(record, { pool = '', byName = false }))
    end
    -- BITPOS takes bytes: what is left of this one is looked at bit by bit.
    repeat
      index = index + 1
    until index % 8 == 0 or redis.call('GETBIT', bitsKey(name), index) == 1
    if index % 8 == 0 then
      index = redis.call('BITPOS', bitsKey(name), 1, index / 8)
    end
  end
end

-- The stored children of a resource, by name; this call's own changes are not in it.
local function childrenOf(name)
  local members = redis.call('ZRANGE', childrenKey, '[' .. name .. '\n', '(' .. name .. '\011', 'BYLEX')
  for i, member in ipairs(members) do
    members[i] = string.sub(member, #name + 2)
  end
  return members
end

-- Writes what has changed, all of it, and that it follows a version; '' where versions do not count.
local function commitDefinitions(version)
  local set, del, names, unnamed, children, orphaned = {}, {}, {}, {}, {}, {}
  for _, name in ipairs(redefinedOrder) do
    local before, after = redefined[name], defined[name]
    if after then
      set[#set + 1] = name
      set[#set + 1] = packDefinition(after)
    else
      del[#del + 1] = name
      unnamed[#unnamed + 1] = name
    end
    if before and before.pooled and not (after and after.pooled) then
      redis.call('UNLINK', bitsKey(name))
      redis.call('SREM', base .. 'pools:' .. epoch, name)
    end
    if after and not before then
      names[#names + 1] = 0
      names[#names + 1] = name
    end
    local parentBefore, parent = before and before.parent or '', after and after.parent or ''
    if parentBefore ~= parent then
      if parentBefore ~= '' then
        orphaned[#orphaned + 1] = parentBefore .. '\n' .. name
      end
      if parent ~= '' then
        children[#children + 1] = 0
        children[#children + 1] = parent .. '\n' .. name
      end
    end
  end
  callWith('HSET', definitionsKey, set)
  callWith('HDEL', definitionsKey, del)
  callWith('ZADD', namesKey, names)
  callWith('ZREM', namesKey, unnamed)
  callWith('ZADD', childrenKey, children)
  callWith('ZREM', childrenKey, orphaned)
  redis.call('HINCRBY', KEYS[1], 'definitions', #names / 2 - #unnamed)
  if version ~= '' then
    redis.call('HSET', KEYS[1], 'definitionsVersion', version + 1)
  end
end
