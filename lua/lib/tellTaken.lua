-- Tells holders who took their reservations away (docs/specification.md#taken-away).
--@include clock

-- Adds, to each reply that says that an item's requester has no reservation, how it lost one: 'TAKEN', ms and actor if
-- somebody released the reservation with the item's token without showing that, else 'RESET', ms and actor if there was
-- a reset. Takes the items, and the reply with the first item's at `first`. Most requests look nothing up.
local function tellTaken(items, reply, first)
  local KEEP_MS = 86400000
  local lacking, tokens = {}, {}
  for i, item in ipairs(items) do
    local one = reply[first + i - 1]
    if (one[1] == 'NOT_RESERVED' or one[1] == 'DOESNT_OWN_RESERVATION') and item.token ~= '' then
      lacking[#lacking + 1], tokens[#tokens + 1] = one, item.token
    end
  end
  if #lacking == 0 then
    return
  end
  local taken = redis.call('HMGET', takenKey, unpack(tokens))
  local reset
  for i, one in ipairs(lacking) do
    if not taken[i] and reset == nil then
      reset = redis.call('HGET', tenantKey, 'resetBy')
    end
    local ms, actor = string.match(taken[i] or reset or '', '^(%d+)\n(.*)$')
    if ms and nowMs - ms < KEEP_MS then
      one[2], one[3], one[4] = taken[i] and 'TAKEN' or 'RESET', ms, actor
    end
  end
end
