local keys = require('frame/keys')
local verbs = {}

--[[ readHistory
  Reads a piece of a tenant's history (history/ended.lua), the newest entries first: reservations, waits and times out
  of service.

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
-- Entries of the stream that one command reads: some 200 KiB at most.
local STEP = 5
local BYTES_OF_ONE = 512

-- Returns true if a text has another one at a place.
local function hasAt(text, other, at)
  return string.sub(text, at, at + #other - 1) == other
end

-- The filter: `resource` and `requester`, '' any; it ended in `from` or later, and before `to`.
--
-- A wait, or a time out of service. The searches begin with quotes that stand for themselves, so that no name or note
-- makes them slow.
local function isTimeWanted(value, wanted)
  local at, resource, requester = tonumber(string.match(value, '"at":(%d+)')), wanted.resource, wanted.requester
  return at and at >= wanted.from and at < wanted.to
    and (resource == '' or string.find(value, '"resource":' .. cjson.encode(resource), 1, true) ~= nil)
    and (requester == '' or string.find(value, '"requester":' .. cjson.encode(requester), 1, true) ~= nil)
end

-- Compares texts where they stand, and decodes nothing: searching a long value for a long name could take long.
-- `recordAt` is the place of the record (slots/codec.lua): a plain one has its requester directly behind the form, and
-- no pool.
local function areNamesWanted(value, recordAt, wanted)
  local resource, requester, isPlain = wanted.resource, wanted.requester, string.byte(value, recordAt) == 2
  local requesterAt = recordAt + (isPlain and 1 or 5)
  if requester ~= '' and not hasAt(value, requester .. '\0', requesterAt) then
    return false
  elseif resource == '' then
    return true
  end
  local poolAt = not isPlain and string.find(value, '\0', requesterAt, true) + 1
  if poolAt and string.byte(value, poolAt) ~= 0 then
    return hasAt(value, resource .. '\0', poolAt)
  end
  -- The slot of a shared hold has its requester behind it (slots/shared.lua).
  return hasAt(value, resource .. '\n', 1) or hasAt(value, resource .. '\1', 1)
end

local function isReservationWanted(value, wanted)
  local slotEnd = string.find(value, '\n', 1, true)
  local headEnd = slotEnd and string.find(value, '\n', slotEnd + 1, true)
  local at = headEnd and tonumber(string.match(value, '^%d+', slotEnd + 1))
  -- Newer versions may write entries of other forms.
  return at and at >= wanted.from and at < wanted.to and areNamesWanted(value, headEnd + 1, wanted)
end

-- A piece that is read:
--   wanted                    what is wanted of it
--   looked, weight, returned  how many were looked at, what they count as, and how many are returned
--   most, budget              the limits of `returned` and `weight`
--   reply

-- Looks at the fields of an entry, from the last one on. Returns the field at which the piece ends; nil if it goes on.
local function look(piece, id, fields, last)
  for i = last, 0, -1 do
    if piece.returned >= piece.most or piece.weight >= piece.budget then
      return i + 1
    end
    local field, value = fields[2 * i + 1], fields[2 * i + 2]
    piece.looked = piece.looked + 1
    piece.weight = piece.weight + math.max(1, #value / BYTES_OF_ONE)
    local isWanted = (field == 'W' or field == 'O') and isTimeWanted or isReservationWanted
    if isWanted(value, piece.wanted) then
      piece.returned = piece.returned + 1
      for _, part in ipairs({ id, i, field, value }) do
        piece.reply[#piece.reply + 1] = part
      end
    end
  end
end

-- Reads the entries from one on, of which only fields before `place` are read.
local function read(piece, begin, place)
  local start, isOver = begin
  repeat
    local entries = redis.call('XREVRANGE', keys.history, start, '-', 'COUNT', STEP)
    isOver = #entries < STEP
    for _, entry in ipairs(entries) do
      local id, last = entry[1], #entry[2] / 2 - 1
      -- No entry is written before its end.
      local isOlder = tonumber(string.match(id, '^%d+')) < piece.wanted.from
      local field = not isOlder and look(piece, id, entry[2], id == begin and math.min(last, place - 1) or last)
      if field then
        piece.reply[2], piece.reply[3] = id, field
      end
      isOver = isOver or isOlder or field
      if isOlder or field then
        break
      end
      start = '(' .. id
    end
  until isOver
end

function verbs.readHistory(_, args)
  local reply = { 'OK', '', 0, 0, 0 }
  local piece = {
    wanted = { resource = args[5], requester = args[6], from = tonumber(args[7]), to = tonumber(args[8]) },
    looked = 0, weight = 0, returned = 0, most = tonumber(args[3]), budget = tonumber(args[4]), reply = reply,
  }
  read(piece, args[1], tonumber(args[2]))
  reply[4], reply[5] = piece.looked, math.ceil(piece.weight)
  return reply
end

return verbs
