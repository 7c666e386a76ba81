-- The stored tree below a resource (redefine.lua describes the index).
--@include definitions

-- Returns up to `limit` stored children of a resource ('': the roots), in byte order, after the child `after` ('': from
-- the first). Changes that this script has made are not included.
local function childrenOf(name, after, limit)
  local prefix = 'c' .. name .. '\n'
  local from = after == '' and '[' .. prefix or '(' .. prefix .. after
  local members = redis.call('ZRANGE', indexKey, from, '(c' .. name .. '\11', 'BYLEX', 'LIMIT', 0, limit)
  spend(3 + #members / 10)
  for i, member in ipairs(members) do
    members[i] = string.sub(member, #prefix + 1)
  end
  return members
end
