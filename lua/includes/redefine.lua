-- Changing definitions: they are decided on in the tables of definitions.lua and written at the end, by commitDefinitions().
local redefined, redefinedOrder = {}, {}

-- Gives a name another definition, or none where it is false.
local function define(name, one)
  if redefined[name] == nil then
    redefined[name] = definition(name)
    redefinedOrder[#redefinedOrder + 1] = name
  end
  defined[name] = one
end

-- The stored children of a resource, by name; this call's own changes are not in it.
local function childrenOf(name)
  local members = redis.call('ZRANGE', childrenKey, '[' .. name .. '\n', '(' .. name .. '\011', 'BYLEX')
  for i, member in ipairs(members) do
    members[i] = string.sub(member, #name + 2)
  end
  return members
end

-- Writes what has changed, all of it.
local function commitDefinitions()
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
end
