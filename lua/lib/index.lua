-- The expiry index is written ahead of a lease, so that no crash can leave a lease that no sweep would find. The index
-- usually lies on another primary. So the first call of a script asks for it by {'INDEX', ms, swept}; the instance
-- writes it, and calls again with '<ms> <swept>'. A sweep in between may have taken the tenant out of the index again:
-- then `swept` has changed, and the script asks once more.
--@include slots

-- Takes '<ms> <swept>' as above, '' at first. Returns nil if the index holds the tenant early enough for all
-- reservations that this script made or renewed; else the reply that asks for it.
local function askForIndex(written)
  local ms, swept = string.match(written, '^(%d+) (%d+)$')
  if ms and tonumber(swept) == tenant.swept then
    tenant.indexed = math.min(tenant.indexed, tonumber(ms))
  end
  local earliest = math.huge
  for _, slot in ipairs(changed) do
    local record = records[slot]
    if record and record.token and record.expiresAt > 0 then
      earliest = math.min(earliest, record.expiresAt)
    end
  end
  if earliest < tenant.indexed then
    return { 'INDEX', earliest, tenant.swept }
  end
end
