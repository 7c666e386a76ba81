-- Verbs that list what is held.
local codec = require('slots/codec')
local ownership = require('reservations/owners')
local quota = require('limits/quota')
local reading = require('frame/reading')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local tenant = require('frame/tenant')
local verbs = {}

--[[ active (ARGV[1] credential, ARGV[2] reads)
  Returns one page of the tenant's held slots, unordered. A slot that is held from the first page to the last is in at
  least one page. A slot can occur twice while the hash shrinks: the caller drops repeats by fencing token. A page ends
  after a number of slots or bytes.

  ARGV[3]  cursor returned with the previous page; '0' for the first page
  ARGV[4]  number of resets returned with the previous page; '' for the first page
  ARGV[5]  approximate number of slots to read
  ARGV[6]  only reservations of this requester; '' any
  ARGV[7]  only reservations with this requestedName (slots/codec.lua); '' any

  Returns {'OK', quota, cursor, number of resets, number of the tenant's slots, {slot, record, slot, record, ...},
  {slot, ms, slot, ms, ...}}: the second list has the ends of sessions, for the slots of which reservations have one.
  Cursor '0' means that this was the last page. If the tenant was reset since the first page, the listing ends.
]]
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

verbs.active = reading.verb('read', function(keys, args)
  local all = redis.call('HLEN', keys.slots)
  local resets = redis.call('HGET', keys.tenant, 'resets') or '0'
  local found, ends = {}, {}
  if args[4] ~= '' and args[4] ~= resets then
    return { 'OK', quota.readsQuota, '0', resets, all, found, ends }
  end
  local cursor = reading.scan(keys.slots, args[3], tonumber(args[5]), function(rows)
    for i = 1, #rows, 2 do
      local slot, packed = rows[i], rows[i + 1]
      local isWanted, record = look(slot, packed, args[6], args[7])
      if isWanted then
        found[#found + 1], found[#found + 2] = slot, packed
      end
      if isWanted and record and record.session then
        ends[#ends + 1], ends[#ends + 2] = slot, ownership.endOf(record)
      end
    end
  end)
  return { 'OK', quota.readsQuota, cursor, resets, all, found, ends }
end)

--[[ unregistered (ARGV[1] credential)
  Returns one page of the names that are held without being registered, unordered. A name can be in two pages. A page
  ends after a number of held slots or bytes.

  ARGV[2]  cursor returned with the previous page; '0' for the first page
  ARGV[3]  approximate number of slots to read

  Returns {'OK', cursor, name, ...}. Cursor '0' means that this was the last page.
]]
verbs.unregistered = reading.freeVerb('read', function(keys, args)
  local reply = { 'OK', '' }
  reply[2] = reading.scan(keys.slots, args[2], tonumber(args[3]), function(rows)
    local names, packed = {}, {}
    for i = 1, #rows, 2 do
      if not shared.isShare(rows[i]) then
        names[#names + 1], packed[rows[i]] = rows[i], rows[i + 1]
      end
    end
    registry.readDefinitions(names)
    for _, name in ipairs(names) do
      local isRegistered = tenant.definitions > 0 and registry.definition(name)
      if not isRegistered and codec.unpackRecord(name, packed[name]).pool == '' then
        reply[#reply + 1] = name
      end
    end
  end)
  return reply
end)

return verbs
