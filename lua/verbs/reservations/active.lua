--[[
  Returns one page of the tenant's held slots, unordered. A slot that is held from the first page to the last is in at
  least one page. A slot can occur twice while the hash shrinks: the caller drops repeats by fencing token. A page ends
  after a number of slots or bytes.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  number of reads to charge (limits/quota.lua)
  ARGV[3]  cursor returned with the previous page; '0' for the first page
  ARGV[4]  number of resets returned with the previous page; '' for the first page
  ARGV[5]  approximate number of slots to read
  ARGV[6]  only reservations of this requester; '' any
  ARGV[7]  only reservations with this requestedName (slots/codec.lua); '' any

  Returns {'OK', quota (limits/quota.lua), cursor, number of resets, number of the tenant's slots, {slot, record,
  slot, record, ...}, {slot, ms, slot, ms, ...}}: the second list has the ends of sessions, for the slots of which
  reservations have one. Cursor '0' means that this was the last page. If the tenant was reset since the first page,
  the listing ends. Or a refusal (frame/admission.lua).
]]
local codec = require('slots/codec')
local keys = require('frame/keys')
local ownership = require('reservations/owners')
local quota = require('limits/quota')
local reading = require('frame/reading')
local tenant = require('frame/tenant')

-- A record may be tens of kilobytes long, so few are read at a time.
local STEP, MAX_BYTES = 25, 262144

-- Returns whether a record is wanted, and the record if it had to be unpacked.
local function look(slot, packed, requester, resource)
  -- A form of 1 is a slot that reservations hold along (slots/codec.lua).
  if string.byte(packed) == 1 then
    return false
  end
  local mayHaveSession = tenant.sessions and string.find(packed, '"session":', 1, true)
  if requester == '' and resource == '' and not mayHaveSession then
    return true
  end
  local record = codec.unpackRecord(slot, packed)
  local isWanted = (requester == '' or record.owner == requester) and
    (resource == '' or record.requestedName == resource)
  return isWanted, record
end

-- Adds the wanted ones of some slots and records. Returns the number of bytes that were looked at.
local function addRows(rows, requester, resource, found, ends)
  local bytes = 0
  for i = 1, #rows, 2 do
    local slot, packed = rows[i], rows[i + 1]
    bytes = bytes + #slot + #packed
    local isWanted, record = look(slot, packed, requester, resource)
    if isWanted then
      found[#found + 1] = slot
      found[#found + 1] = packed
    end
    if isWanted and record and record.session then
      ends[#ends + 1] = slot
      ends[#ends + 1] = ownership.endOf(record)
    end
  end
  return bytes
end

return function(_, args)
  local refused = reading.read('read')
  if refused then
    return refused
  end
  local all = redis.call('HLEN', keys.slots)
  local resets = redis.call('HGET', keys.tenant, 'resets') or '0'
  if args[4] ~= '' and args[4] ~= resets then
    return { 'OK', quota.readsQuota, '0', resets, all, {}, {} }
  end
  local cursor, most, looked, bytes, found, ends = args[3], tonumber(args[5]), 0, 0, {}, {}
  repeat
    local page = redis.call('HSCAN', keys.slots, cursor, 'COUNT', STEP)
    cursor = page[1]
    -- Scanning an empty part of the hash costs time too.
    looked = looked + math.max(STEP / 5, #page[2] / 2)
    bytes = bytes + addRows(page[2], args[6], args[7], found, ends)
  until cursor == '0' or looked >= most or bytes > MAX_BYTES
  return { 'OK', quota.readsQuota, cursor, resets, all, found, ends }
end
