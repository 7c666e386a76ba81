-- Describes who is in the way of a ticket.
--@include isSharedItem
--@include names
--@include waiting/needs
--@include waiting/toldName
--@include why

local kindOf, whyWaiting
-- The block keeps the queue's function (waiting/open.lua) below the 200 local variables that Lua allows.
do
  -- Returns what kind of thing a ticket waits for (whyNot() in why.lua).
  kindOf = function(ticket)
    local name, kind = ticket.waitsFor, 'BLOCKER'
    for _, item in ipairs(ticket.items) do
      local resource, slot = resolve(item.resource)
      if name == resource or name == slot then
        local hold = isSharedItem(item) and recordAt(name)
        local isKept = freeAt(name) >= (item.count or 1) or hold and isSharedHold(name, hold)
        return isKept and 'QUEUE' or 'SLOTS'
      end
      local above = resource and definition(resource) and definition(resource).parent or ''
      while above ~= '' and definition(above) do
        kind = above == name and 'ANCESTOR' or kind
        above = definition(above).parent
      end
    end
    return freeAt(name) > 0 and 'QUEUE' or kind
  end

  -- Returns the first resources that fit a match, of the first few that have the first of its labels.
  local function fittingFor(match)
    local MAX_FITTING = 50
    local prefix, found = 'l' .. string.match(match, '^[^\n]*'), {}
    if tenant.openMatch and not tenant.fitsMatch then
      tenant.openMatch()
    end
    local members = tenant.fitsMatch and redis.call(
      'ZRANGE', indexKey, '[' .. prefix .. '\n', '(' .. prefix .. '\11', 'BYLEX', 'LIMIT', 0, MAX_FITTING
    ) or {}
    for _, member in ipairs(members) do
      local name = string.sub(member, #prefix + 2)
      spend(5)
      if tenant.fitsMatch(match, name) then
        found[#found + 1] = name
      end
    end
    return found
  end

  -- Returns who is in the way of a ticket, as whyNot() does. `before` is as there.
  whyWaiting = function(ticket, before)
    local name, match = toldName(ticket.waitsFor), matchOf(ticket)
    if match then
      return whyNot('SLOTS', name, fittingFor(match), false)
    end
    return whyNot(kindOf(ticket), name, { name }, before)
  end
end
