-- What a search for a resource that fits (match.lua) has noted, so that it reads little. Most tenants have no labels,
-- and make none of this. The index of definitions (redefine.lua) has these members, where <resets> has 10 digits, so
-- that a reset drops them all:
--   h<resets>\n<key>=<value>\n<name>
--     The resource has this label, and all its slots are held. Only a search adds this, for what it has passed, and the
--     release of a slot removes it. So a resource can be held without it.
--   m<resets>\n<requester>\n<match>\n<fence, 16 digits>\n<slot>
--     A reservation that was made by a match, of which <match> is the digest.
--@include slots

-- Writes the marks that follow from the changes of this script. tenant.marks: further members to add, each with true,
-- or with the slot that must be held for it; or to remove, with false.
local writeMarks
if tenant.labelled then
  local resets = redis.call('HGET', tenantKey, 'resets') or '0'
  tenant.marks = {}
  tenant.heldPrefix = 'h' .. string.format('%010d', resets) .. '\n'

  -- Returns the prefix of the members of a requester's reservations by a match.
  function tenant.matchPrefix(requester, digest)
    return 'm' .. string.format('%010d', resets) .. '\n' .. requester .. '\n' .. digest .. '\n'
  end

  local function matchMember(record)
    return record and record.match and
      tenant.matchPrefix(record.owner, record.match[1]) .. string.format('%016.0f', record.fence) .. '\n' .. record.slot
  end

  -- Removes the marks of resources that have a free slot again.
  local function unmark(names)
    local fields = {}
    for i, name in ipairs(names) do
      fields[i] = '\4' .. name
    end
    for from = 1, #fields, 1000 do
      local found = redis.call('HMGET', definitionsKey, unpack(fields, from, math.min(from + 999, #fields)))
      for i, labels in ipairs(found) do
        for label in string.gmatch(labels or '', '[^\n]+') do
          tenant.marks[tenant.heldPrefix .. label .. '\n' .. names[from + i - 1]] = false
        end
      end
    end
  end

  writeMarks = function()
    local freedNames, isFreed = {}, {}
    for _, slot in ipairs(changed) do
      local before, record = original[slot], records[slot]
      local was, is = matchMember(before), matchMember(record)
      if was and was ~= is then
        tenant.marks[was] = false
      end
      if is and was ~= is then
        tenant.marks[is] = true
      end
      -- A slot of a pool that had more may be handed on as a plain name.
      local isLost = before and not (record and record.pool == before.pool)
      local name = isLost and (before.pool ~= '' and before.pool or slot)
      if name and not isFreed[name] then
        isFreed[name] = true
        freedNames[#freedNames + 1] = name
      end
    end
    unmark(freedNames)
    local add, remove = {}, {}
    for member, isIn in pairs(tenant.marks) do
      if isIn == true or isIn and records[isIn] then
        add[#add + 1] = 0
        add[#add + 1] = member
      elseif not isIn then
        remove[#remove + 1] = member
      end
    end
    callWith('ZREM', indexKey, remove)
    callWith('ZADD', indexKey, add)
  end
end
