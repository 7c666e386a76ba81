-- Whether a request could be granted at all. One that could not is refused at once, and its ticket ends.
--@include waiting/holders

-- Returns the slot of a pool with the lowest index that nobody has, in the world of fits().
local function lowestIn(pool, owners, isThere)
  local index = 0
  while true do
    local slot = pool .. '_' .. index
    local record = not owners[slot] and recordAt(slot)
    spend(1)
    if not owners[slot] and not (record and isThere(record)) then
      return slot, index
    end
    index = index + 1
  end
end

-- Tries to meet plans in a world where only some holds exist. isThere(record) tells whether a hold exists in it.
local function fits(listOfEntries, requester, isThere)
  local owners, counts = {}, {}
  for _, entries in ipairs(listOfEntries) do
    for _, entry in ipairs(entries) do
      local owner, resource = ownerOf(entry, requester), entry.resource
      local own = definition(resource)
      local isPool = own and own.pooled and not entry.slot
      local name = isPool and resource .. '\n' .. owner or entry.slot or resource
      spend(1)
      local record = not isPool and recordAt(name)
      local holder = owners[name] or record and isThere(record) and record.owner
      if isPool and not holder then
        local slot = assignedSlot(resource, owner)
        record = slot and recordAt(slot)
        holder = record and isThere(record) and owner
      end
      if holder and holder ~= owner then
        return false
      elseif not holder then
        owners[name] = owner
        if isPool then
          local slot, index = lowestIn(resource, owners, isThere)
          if index >= own.capacity then
            return false
          end
          owners[slot] = owner
        end
        counts[resource] = (counts[resource] or 0) + 1
        if counts[resource] > (own and own.capacity or 1) then
          return false
        end
      end
    end
  end
  return true
end

local function isNeverThere()
  return false
end

-- Returns true if the request of a ticket could be granted if nothing were held, and also if only what its requester
-- holds were held, itself or along with its reservations. Else waiting would never end.
local function isFeasible(requester, method, items)
  local function isMine(record)
    return isHeldThrough(requester, record.owner, 0)
  end
  local list = {}
  for _, item in ipairs(items) do
    local entries = planOf(item.resource)
    local isValid = entries and isPlanValid(entries)
    if method == 'FIRST' then
      if isValid and fits({ entries }, requester, isNeverThere) and fits({ entries }, requester, isMine) then
        return true
      end
    elseif not isValid then
      return false
    end
    list[#list + 1] = entries or {}
  end
  return method ~= 'FIRST' and fits(list, requester, isNeverThere) and fits(list, requester, isMine)
end
