-- The expiry index is written before a lease, so that no crash can leave a lease that no sweep would find. The index is
-- usually on another primary, so a script cannot write it. The script's first call returns {'INDEX', ms, swept}; the
-- instance writes the index, and calls again with '<ms> <swept>'. If a sweep took the tenant out of the index in
-- between, `swept` has changed, and the script returns {'INDEX', ...} again.
--@include slots

-- Takes '<ms> <swept>' as above, '' on the first call. Returns nil if the index has the tenant early enough for all
-- reservations that this script made or renewed, for the tickets that it issued and for sessions; else {'INDEX', ...}.
local function askForIndex(written)
  local ms, swept = string.match(written, '^(%d+) (%d+)$')
  if ms and swept == (redis.call('HGET', tenantKey, 'swept') or '0') then
    tenant.indexed = math.min(tenant.indexed, tonumber(ms))
  end
  local earliest = tenant.queue and tenant.queue.earliest() or math.huge
  if tenant.sessions then
    earliest = math.min(earliest, tenant.sessions.nextDue)
  end
  for _, slot in ipairs(changed) do
    local record = records[slot]
    if record and record.token and record.expiresAt > 0 then
      earliest = math.min(earliest, record.expiresAt)
    end
  end
  if earliest < tenant.indexed then
    return { 'INDEX', earliest, tonumber(redis.call('HGET', tenantKey, 'swept') or 0) }
  end
end
