--[[
  Registers resources, all of one request or none (decisions, section 5): each name's last item is what counts. Ancestors that
  are not registered are, with capacity 1.

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  phase: now, in the in-memory mode; else plan or replan, then apply (redefine.lua)
  ARGV[3]  to apply: the version of the definitions at which it was planned; '' otherwise
  ARGV[4]  the most ancestors that a resource may have
  ARGV[5]  the first of four for each item:
           name, capacity, blocks (each followed by '\n'), tree path (each segment followed by '\n'; '' none)

  Returns {'OK', quota, version of the definitions, label of the key, name, tree path, ...}: the ancestors that are registered along, their path by '>', '' none;
  or {'STALE'}, nothing being done; or {'REFUSED', what is wrong with which item}, nothing being done; or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
local phase = ARGV[2]
local requestType, cost = nil, (phase == 'now' or phase == 'plan') and (#ARGV - 4) / 4 or 0
--@include charge
--@include codec
--@include slots
--@include definitions
--@include redefine
if expire(100) then
  commit()
  return { 'AGAIN' }
end

if isStale(phase, ARGV[3]) then
  return { 'STALE' }
end

local deepest = tonumber(ARGV[4])

-- Items by name: the place in ARGV of each name's last one, and the names in the order of these.
local place, names, mentioned = {}, {}, {}
for i = 5, #ARGV, 4 do
  place[ARGV[i]] = i
end
local paths = {}
for i = 5, #ARGV, 4 do
  local name = ARGV[i]
  if place[name] == i then
    names[#names + 1] = name
    paths[name] = lines(ARGV[i + 3])
    mentioned[#mentioned + 1] = name
    for _, segment in ipairs(paths[name]) do
      mentioned[#mentioned + 1] = segment
    end
  end
end
readDefinitions(mentioned)

local function invalid(name, field, fault)
  pay()
  return { 'REFUSED', '[' .. (place[name] - 5) / 4 .. '].' .. field .. ' ' .. fault }
end

for _, name in ipairs(names) do
  local i = place[name]
  define(name, tonumber(ARGV[i + 1]), paths[name][#paths[name]] or '', lines(ARGV[i + 2]))
end
local ancestors, mentionedBy = {}, {}
for _, name in ipairs(names) do
  for depth = #paths[name], 1, -1 do
    local ancestor = paths[name][depth]
    if not definition(ancestor) then
      define(ancestor, 1, paths[name][depth - 1] or '', {})
      ancestors[#ancestors + 1] = ancestor
      mentionedBy[ancestor] = name
    end
  end
end

-- Every path must be what the links that are now there make of it: so none contradicts another, and there is no cycle.
for _, name in ipairs(names) do
  local below = name
  for depth = #paths[name], 0, -1 do
    local parent = definition(below).parent
    if parent ~= (paths[name][depth] or '') then
      return invalid(name, 'treePath', 'contradicts the path of ' .. below .. ', which is registered under ' ..
        (parent == '' and 'nothing' or parent))
    end
    below = parent
  end
end

-- What lies below a resource that moves down moves with it, and must not get too deep. Below a new one lies nothing that
-- was registered before.
local MOST_MOVED = 5000
local moved = 0
local function depthBefore(name)
  local depth = 0
  local one = redefined[name]
  while one and one.parent ~= '' do
    depth = depth + 1
    local above = one.parent
    one = redefined[above]
    if one == nil then
      one = definition(above)
    end
  end
  return depth
end
for _, name in ipairs(names) do
  if redefined[name] and depthBefore(name) < #paths[name] then
    local level = { name }
    local depth = #paths[name]
    while #level > 0 and depth <= deepest and moved <= MOST_MOVED do
      local nextLevel = {}
      for _, above in ipairs(level) do
        for _, child in ipairs(childrenOf(above)) do
          if definition(child).parent == above then
            nextLevel[#nextLevel + 1] = child
          end
        end
      end
      level, depth, moved = nextLevel, depth + 1, moved + #nextLevel
    end
    if moved > MOST_MOVED then
      return invalid(name, 'treePath', 'must not move more than ' .. MOST_MOVED .. ' resources further down at once')
    elseif #level > 0 then
      return invalid(name, 'treePath', 'must leave what is registered below ' .. name .. ' at most ' .. deepest ..
        ' ancestors, and ' .. level[1] .. ' would have more')
    end
  end
end

-- A pool's slots must not bear the name of another definition, neither one of this request nor an older one.
for _, name in ipairs(redefinedOrder) do
  local pool, index = slotIndex(name)
  local whole = pool and definition(pool)
  if whole and whole.capacity > 1 and index < whole.capacity then
    local field = place[name] and 'name' or 'treePath'
    return invalid(mentionedBy[name] or name, field, 'must not name ' .. name .. ', which is a slot of ' .. pool)
  end
end
for _, name in ipairs(names) do
  local before = redefined[name] and redefined[name].capacity or 1
  local capacity = definition(name).capacity
  if capacity > before then
    for _, other in ipairs(redis.call('ZRANGE', namesKey, '[' .. name .. '_0', '(' .. name .. '_:', 'BYLEX')) do
      local pool, index = slotIndex(other)
      if pool == name and index < capacity then
        return invalid(name, 'capacity', 'must not give it the slot ' .. other .. ', which is another resource')
      end
    end
  end
end

if phase == 'now' or phase == 'apply' then
  for _, name in ipairs(names) do
    adoptLoose(name)
  end
end
commit(charged)
if phase == 'now' or phase == 'apply' then
  commitDefinitions(ARGV[3])
end
local reply = { 'OK', quota, definitionsVersion or '', keyLabel }
for _, name in ipairs(ancestors) do
  reply[#reply + 1] = name
  reply[#reply + 1] = string.sub(pathOf(name), 1, -#name - 2)
end
return reply
