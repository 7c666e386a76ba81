-- The settings of the tenant that reservations must keep to (docs/specification.md#settings): the field `terms`, '' if
-- all are the defaults, has the lease of items that ask for none, in ms ('' none), the longest lease, in ms ('' any, or
-- none), 1 if items must have a note, else 0, 0 if holders may not take slots out of service, else 1, the longest
-- booking, in s, and how many future bookings a requester may have. The table of the tenant has the first as
-- defaultTtlMs, nil none, the second as maxTtlMs, nil any, and the last two as maxBookingS and bookingsPerRequester,
-- nil the defaults.
local tenant = require('frame/tenant')
local terms = {}
local isNoteRequired, mayReport

-- Explains why a lease is too long; nil if it is not.
function terms.tooLong(ttlMs)
  return tenant.maxTtlMs and ttlMs > tenant.maxTtlMs and
    string.format('must be at most %.0f by the setting maxTtlSeconds of the tenant', tenant.maxTtlMs / 1000) or nil
end

-- Explains why an item (frame/items.lua) may not be reserved; nil if it may. A ticket's item that is granted before
-- its lease begins has that lease in the field leaseMs.
function terms.whyNotAllowed(item)
  local ttlMs = item.session and item.session.ttlMs or item.leaseMs or item.ttlMs
  if tenant.maxTtlMs and not (ttlMs and ttlMs <= tenant.maxTtlMs) then
    return string.format(
      "NOT_VALID: this tenant's reservations need a lease of at most %.0f s", tenant.maxTtlMs / 1000
    )
  elseif isNoteRequired and not (item.options and item.options.note) then
    return 'NOT_VALID: a note is required'
  end
end

-- Returns true if those who hold a slot that was ready may say that it is out of service.
function terms.mayHoldersReport()
  return mayReport
end

-- Returns true if every item must have a note.
function terms.isNoteRequired()
  return isNoteRequired
end

-- From now on, every item is allowed in this call.
function terms.ignoreTerms()
  tenant.maxTtlMs, isNoteRequired = nil, false
end

function terms.begin()
  isNoteRequired, mayReport = false, true
  if tenant.terms ~= '' then
    local defaultTtlMs, maxTtlMs, note, report, bookingS, bookings = string.match(
      tenant.terms, '^(%d*) (%d*) (%d) (%d) (%d+) (%d+)$'
    )
    tenant.defaultTtlMs, tenant.maxTtlMs, isNoteRequired = tonumber(defaultTtlMs), tonumber(maxTtlMs), note == '1'
    tenant.maxBookingS, tenant.bookingsPerRequester = tonumber(bookingS), tonumber(bookings)
    mayReport = report ~= '0'
  end
end

return terms
