-- Resolves names that callers send (docs/specification.md#what-a-name-means): a resource, one slot of a pool, or a
-- path.
--@include paths
--@include slots

-- Returns the last segment of a name that has the form of a path; nil or false for other names.
local function lastSegment(name)
  return string.find(name, '>', 1, true) and string.match(name, '^.*>([^>]+)$')
end

-- Returns the resource that a name means and, if the name is that of one slot of a pool, the slot. Returns nil if the
-- name is not valid. Blockers never need registration: the tenant chose their names when it declared them.
local function resolve(name, isBlocker)
  if tenant.definitions > 0 or tenant.isRedefined then
    if definition(name) then
      return name
    end
    local pool, index = slotIndex(name)
    local whole = pool and definition(pool)
    if whole and whole.capacity > 1 then
      if index < whole.capacity then
        return pool, name
      end
      return nil
    end
    local last = lastSegment(name)
    if last and definition(last) then
      return pathOf(last) == name and last or nil
    end
  end
  if tenant.requiresRegistration and not isBlocker then
    return nil
  end
  return name
end
