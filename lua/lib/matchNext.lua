-- The next resource of a search (matchWalk.lua), and what is done at the end of one in vain.
--@include matchWalk

-- Returns the next resource that has a free slot of its own; nil at the end.
local function nextOpen(search)
  while search.passed < MAX_PASSED do
    local walk, name = firstOf(search)
    if search.passed >= MAX_PASSED then
      break
    elseif not walk then
      return nil
    end
    walk.at = walk.at + 1
    search.label = walk.label
    if name ~= search.last and not isFull(name) then
      search.last = name
      return name
    end
    search.passed = search.passed + 1
    if walk.label ~= '' and isFullBefore(name) then
      tenant.marks[tenant.heldPrefix .. walk.label .. '\n' .. name] = true
    end
  end
  search.isUnfinished = true
end

-- Returns whether a resource among the next ones with a label fits, held or not, and the number that were looked at.
local function isFittingIn(search, prefix, after, many)
  local lower, upper = boundsOf(prefix, after)
  local members = redis.call('ZRANGE', indexKey, lower, upper, 'BYLEX', 'LIMIT', 0, many)
  spend(3 + #members / 3)
  for i, member in ipairs(members) do
    after = string.sub(member, #prefix + 1)
    if fits(search, after) then
      return true, i
    end
  end
  return false, #members, after
end

-- Returns false if certainly no resource has the wanted labels. Looks at the first MAX_LOOKED, held or not.
local function isAnyFitting(search)
  local left = MAX_LOOKED
  for _, walk in ipairs(search.walks) do
    local after, many = '', 4
    for _, name in ipairs(walk.label == '' and walk.names or {}) do
      if fits(search, name) then
        return true
      end
    end
    repeat
      local isThere, count = false, 0
      if walk.label ~= '' then
        isThere, count, after = isFittingIn(search, 'l' .. walk.label .. '\n', after, many)
      end
      left = left - count
      if isThere or left < 0 then
        return true
      end
      local isEnd = count < many
      many = math.min(FIRST_STEP, left + 1)
    until isEnd
  end
  return false
end
