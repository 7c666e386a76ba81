-- The expiry index is written ahead of a lease, so that no crash can leave a lease that no sweep would find.

-- Takes the time (ms) that the caller has just written there, '' for none. Returns the earliest time (ms) at which something that
-- this call made is due before the index would look at the tenant; nil where there is none, and the call may commit.
local function dueBeforeIndexed(written)
  if written ~= '' then
    indexed = math.min(indexed, written)
  end
  local earliest = math.huge
  for _, slot in ipairs(changed) do
    local record = records[slot]
    if record and record.token and record.expiresAt > 0 then
      earliest = math.min(earliest, record.expiresAt)
    end
  end
  return earliest < indexed and earliest or nil
end
