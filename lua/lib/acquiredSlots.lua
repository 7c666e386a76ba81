-- Returns the slots of pools that a reservation got, as JSON; nil if there are none. If it got several slots of one
-- pool, a further field `slots` follows; if it is SHARED, a field `mode`. Takes its details as JSON (describe() in
-- reservePlan.lua), '' if it has none.
local function slotsAsJson(details)
  local described = details ~= '' and cjson.decode(details)
  local slots = described and described.s and cjson.encode(described.s)
  if described and described.m then
    return (slots or 'null') .. ',"mode":"' .. described.m .. '"'
  end
  return slots and described.o and slots .. ',"slots":' .. cjson.encode(described.o) or slots
end
