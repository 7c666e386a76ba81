-- Returns the slots of pools that a reservation got, as JSON; nil if there are none. Takes its details as JSON
-- (describe() in reserveOne.lua), '' if it has none.
local function slotsAsJson(details)
  local slots = details ~= '' and cjson.decode(details).s
  return slots and cjson.encode(slots)
end
