--[[
  Reads a piece of a tenant's history (lib/history.lua), the newest reservations and waits first.

  KEYS[1]  history

  ARGV[1]  the id of the entry of the stream to begin with; '+' the newest
  ARGV[2]  of that entry only fields before this one are read, counted from 0
  ARGV[3]  the most reservations and waits to return
  ARGV[4]  the most to look at. A reservation or wait counts as 1, or as 1 for each 512 bytes if that is more
  ARGV[5]  the resource that they have; '' any
  ARGV[6]  their requester; '' any
  ARGV[7]  when they ended at the earliest, in ms
  ARGV[8]  when they ended before, in ms

  Returns {'OK', id, field, reservations and waits that were looked at, what they count as, then four items of each that
  is returned: the id of its entry, its field from 0, the field's name, its value}. id and field are what the next piece
  begins with; id is '' if nothing older is left.
]]
return function(keys, args)
  -- Entries of the stream that one command reads: some 200 KiB at most.
  local STEP = 5
  local BYTES_OF_ONE = 512
  local begin, place, most, budget = args[1], tonumber(args[2]), tonumber(args[3]), tonumber(args[4])
  local resource, requester, from, to = args[5], args[6], tonumber(args[7]), tonumber(args[8])

  -- Whether a text has another one at a place.
  local function hasAt(text, other, at)
    return string.sub(text, at, at + #other - 1) == other
  end

  -- The searches begin with quotes that stand for themselves, so that no name or note makes them slow.
  local function isWaitWanted(value)
    local at = tonumber(string.match(value, '"at":(%d+)'))
    return at and at >= from and at < to
      and (resource == '' or string.find(value, '"resource":' .. cjson.encode(resource), 1, true) ~= nil)
      and (requester == '' or string.find(value, '"requester":' .. cjson.encode(requester), 1, true) ~= nil)
  end

  -- Compares texts where they stand, and decodes nothing: searching a long value for a long name could take long.
  local function isReservationWanted(value)
    local slotEnd = string.find(value, '\n', 1, true)
    local headEnd = slotEnd and string.find(value, '\n', slotEnd + 1, true)
    local at = headEnd and tonumber(string.match(value, '^%d+', slotEnd + 1))
    -- Newer versions may write entries of other forms.
    if not at or at < from or at >= to then
      return false
    end
    -- The form of slots/codec.lua: a plain record has its requester directly behind the form, and no pool.
    local isPlain = string.byte(value, headEnd + 1) == 2
    local requesterAt = headEnd + (isPlain and 2 or 6)
    if requester ~= '' and not hasAt(value, requester .. '\0', requesterAt) then
      return false
    end
    if resource == '' then
      return true
    end
    local poolAt = not isPlain and string.find(value, '\0', requesterAt, true) + 1
    if poolAt and string.byte(value, poolAt) ~= 0 then
      return hasAt(value, resource .. '\0', poolAt)
    end
    -- The slot of a shared hold has its requester behind it (slots/shared.lua).
    return hasAt(value, resource .. '\n', 1) or hasAt(value, resource .. '\1', 1)
  end

  local reply = { 'OK', '', 0, 0, 0 }
  local looked, weight, returned = 0, 0, 0

  -- Looks at an entry of the stream. Returns the field at which the piece ends; nil if it goes on.
  local function look(id, fields)
    local last = #fields / 2 - 1
    if id == begin then
      last = math.min(last, place - 1)
    end
    for i = last, 0, -1 do
      if returned >= most or weight >= budget then
        return i + 1
      end
      local field, value = fields[2 * i + 1], fields[2 * i + 2]
      looked = looked + 1
      weight = weight + math.max(1, #value / BYTES_OF_ONE)
      local isWanted = field == 'W' and isWaitWanted or isReservationWanted
      if isWanted(value) then
        returned = returned + 1
        for _, part in ipairs({ id, i, field, value }) do
          reply[#reply + 1] = part
        end
      end
    end
  end

  local start, isOver = begin
  repeat
    local entries = redis.call('XREVRANGE', keys.history, start, '-', 'COUNT', STEP)
    isOver = #entries < STEP
    for _, entry in ipairs(entries) do
      local id = entry[1]
      -- No entry is written before its end.
      local isOlder = tonumber(string.match(id, '^%d+')) < from
      local field = not isOlder and look(id, entry[2])
      if field then
        reply[2], reply[3] = id, field
      end
      isOver = isOver or isOlder or field
      if isOlder or field then
        break
      end
      start = '(' .. id
    end
  until isOver
  reply[4], reply[5] = looked, math.ceil(weight)
  return reply
end
