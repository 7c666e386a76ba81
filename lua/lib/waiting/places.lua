-- Whether the request of a ticket names some resource.
--@include names
--@include waiting/tickets
-- Returns what tells whether two names are the same, or mean the same: they are if they have one of these in common.
local function meaningsOf(name)
  local resource, slot = resolve(name)
  return name .. '\n=', resource and resource .. '\n' .. (slot or '')
end

-- Notes the place of a name in a list of names, for placeOf().
local function addPlace(places, name, place)
  local same, meaning = meaningsOf(name)
  places[same] = places[same] or place
  if meaning then
    places[meaning] = places[meaning] or place
  end
end

-- Returns the first place of a name in `places` that the request of a ticket names; nil if it names none of them.
local function placeOf(ticket, places)
  local first
  for _, item in ipairs(ticket.items) do
    local same, meaning = meaningsOf(item.resource)
    local place = math.min(places[same] or math.huge, meaning and places[meaning] or math.huge)
    first = place < (first or math.huge) and place or first
  end
  return first
end
