-- The settings of the tenant that reservations must keep to (docs/specification.md#settings): the field `terms` has the
-- lease of items that ask for none, in ms ('' none), the longest lease, in ms ('' any, or none), and 1 if items must
-- have a note, else 0. This file adds to the table of the tenant, if one of them is set:
--   defaultTtlMs          the first, as text
--   maxTtlMs              the second; nil any
--   tooLong(ttlMs)        explains why a lease is too long; nil if it is not
--   whyNotAllowed(item)   explains why an item (items/reserve.lua) may not be reserved; nil if it may. A ticket's item
--                         that is granted before its lease begins has that lease as leaseMs
-- Few tenants have any, so nothing is made for others.
--@include tenant
if tenant.terms ~= '' then
  local defaultTtlMs, maxTtlMs, note = string.match(tenant.terms, '^(%d*) (%d*) (%d)$')
  tenant.defaultTtlMs, tenant.maxTtlMs = defaultTtlMs, tonumber(maxTtlMs)

  tenant.tooLong = function(ttlMs)
    return tenant.maxTtlMs and ttlMs > tenant.maxTtlMs and
      string.format('must be at most %.0f by the setting maxTtlSeconds of the tenant', tenant.maxTtlMs / 1000) or nil
  end

  tenant.whyNotAllowed = function(item)
    local ttlMs = item.session and item.session.ttlMs or tonumber(item.leaseMs or item.ttlMs)
    if tenant.maxTtlMs and not (ttlMs and ttlMs <= tenant.maxTtlMs) then
      return string.format(
        "NOT_VALID: this tenant's reservations need a lease of at most %.0f s", tenant.maxTtlMs / 1000
      )
    elseif note == '1' and not (item.options and item.options.note) then
      return 'NOT_VALID: a note is required'
    end
  end
end
