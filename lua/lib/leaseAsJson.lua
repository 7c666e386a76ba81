-- Returns the fields that only ACQUIRED items have in `changes` of a transaction's event, as JSON after a comma. Takes
-- the item's reply (reserveOne.lua), and the reservation's note, nil none.
--@include acquiredSlots
local function leaseAsJson(reply, note)
  return ',"expiresAt":' .. (reply[4] > 0 and reply[4] or 'null') .. ',"acquiredSlots":' ..
    (slotsAsJson(reply[6]) or 'null') .. ',"fencingToken":' .. reply[3] .. (note and ',"note":' .. quote(note) or '')
end
