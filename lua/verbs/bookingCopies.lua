-- Verbs by which bookings are copied to the database, and come back (docs/specification.md#where-bookings-live).
local cancelling = require('bookings/cancel')
local committing = require('frame/commit')
local copies = require('bookings/copies')
local expiry = require('reservations/expiry')
local keys = require('frame/keys')
local naming = require('definitions/names')
local reading = require('frame/reading')
local records = require('bookings/records')
local restoring = require('bookings/restore')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local waitingQueue = require('waiting/queue')
local verbs = {}

--[[ bookingChanges
  Returns bookings that have changed since they were copied to the database.

  ARGV[1]  how many at most, those that changed longest ago; or 'of' to name them
  ARGV[2]  the first id; the others follow

  Returns {'OK', id, revision, end in s, record as JSON, ...}. End and record are '' if the booking is over.
]]
function verbs.bookingChanges(_, args)
  local ids, revisions, reply = {}, {}, { 'OK' }
  if args[1] == 'of' then
    for i, score in ipairs(args[2] and redis.call('ZMSCORE', keys.bookingChanges, unpack(args, 2)) or {}) do
      if score then
        ids[#ids + 1], revisions[#ids + 1] = args[i + 1], score
      end
    end
  else
    local found = redis.call('ZRANGE', keys.bookingChanges, 0, args[1] - 1, 'WITHSCORES')
    for i = 1, #found, 2 do
      ids[#ids + 1], revisions[#ids + 1] = found[i], found[i + 1]
    end
  end
  records.read(ids)
  for i, id in ipairs(ids) do
    local record, n = records.at(id), #reply
    reply[n + 1], reply[n + 2] = id, revisions[i]
    reply[n + 3], reply[n + 4] = record and record['end'] or '', record and cjson.encode(record) or ''
  end
  return reply
end

--[[ dropBookingChanges
  Notes that changes were copied. While bookings are being restored, those that are over stay noted: otherwise one that
  was read from the database before could come back.

  ARGV[1]  the first id; ARGV[2] the revision of its copy; others follow

  Returns {'OK', number of bookings that are no longer noted}. One that has changed since then stays noted.
]]
function verbs.dropBookingChanges(_, args)
  local ids, done = {}, {}
  for i = 1, #args, 2 do
    ids[#ids + 1] = args[i]
  end
  local isRestoring = redis.call('EXISTS', keys.copying) == 1
  local there = isRestoring and redis.call('HMGET', keys.bookings, unpack(ids))
  for i, score in ipairs(redis.call('ZMSCORE', keys.bookingChanges, unpack(ids))) do
    if score and tonumber(score) == tonumber(args[2 * i]) and not (isRestoring and not there[i]) then
      done[#done + 1] = ids[i]
    end
  end
  return { 'OK', done[1] and redis.call('ZREM', keys.bookingChanges, unpack(done)) or 0 }
end

--[[ logBookings
  Notes bookings as changed, so that they are copied, in pieces. Those that ran when there was a reset are removed.

  ARGV[1]  a cursor: '0' at first, then the one that was returned

  Returns {'OK', the next cursor, '0' at the end}.
]]
function verbs.logBookings(_, args)
  local PIECE = 250
  if not tenant.tier then
    return { 'OK', '0' }
  end
  local noted = {}
  local cursor = reading.scan(keys.bookings, args[1], PIECE, function(rows)
    local ids = {}
    for i = 1, #rows, 2 do
      ids[#ids + 1] = rows[i]
    end
    records.read(ids)
    for _, id in ipairs(ids) do
      local record = records.at(id)
      if record then
        copies.add(noted, id, record.rev)
      else
        records.drop(id)
      end
    end
  end)
  copies.write(noted)
  committing.commit()
  return { 'OK', cursor }
end

-- Ends what is due, of a tenant that is loaded. Returns the reply {'AGAIN'} if more is due, else nil.
local function begin()
  if tenant.tier then
    waitingQueue.prepare()
    return expiry.expire()
  end
end

--[[ restoreBookings
  Brings bookings to the state that the database has of them, if that is newer: Redis has lost data. If it has lost the
  tenant, its definitions are there, and it is not loaded yet. Those whose time is running begin with the next call. One
  whose slot another booking has meanwhile gets another slot, or is cancelled.

  ARGV[1]  ''
  ARGV[2]  the lease of the copy
  ARGV[3]  ms: the lease is extended to this long from now
  ARGV[4]  the first id; ARGV[5] the revision; ARGV[6] the record as JSON, '' if it is over; others follow

  Returns {'OK', ms at which something is due, -1: nothing}; {'AGAIN'}; or {'LOST'}, with nothing changed, if the caller
  no longer holds the lease.
]]
function verbs.restoreBookings(_, args)
  if redis.call('GET', keys.copying) ~= args[2] then
    return { 'LOST' }
  end
  redis.call('PEXPIRE', keys.copying, args[3])
  local again = begin()
  if again then
    return again
  end
  local ids, rows, names, noted = {}, {}, {}, {}
  for i = 4, #args, 3 do
    local record = args[i + 2] ~= '' and cjson.decode(args[i + 2]) or nil
    ids[#ids + 1], rows[#rows + 1] = args[i], { revision = tonumber(args[i + 1]), record = record }
    names[#names + 1] = record and record.slot
  end
  naming.readMeanings(names)
  slotMap.readSlots(names)
  records.read(ids)
  local known = ids[1] and redis.call('ZMSCORE', keys.bookingChanges, unpack(ids)) or {}
  for i, id in ipairs(ids) do
    restoring.restore(id, tonumber(known[i] or nil), rows[i].revision, rows[i].record, noted)
  end
  copies.write(noted)
  if tenant.tier then
    committing.finish()
  else
    committing.commit()
  end
  return { 'OK', tenant.nextDue < math.huge and tenant.nextDue or -1 }
end

--[[ takeBackBookings
  Cancels bookings that could not be written to the database.

  ARGV[1]  ''
  ARGV[2]  1: forgets the remembered reply of their request, too; else ''
  ARGV[3]  the first id; the others follow

  Returns {'OK'} or {'AGAIN'}.
]]
function verbs.takeBackBookings(_, args)
  if not tenant.tier then
    return { 'OK' }
  end
  local again = begin()
  if again then
    return again
  end
  local ids = { unpack(args, 3) }
  records.read(ids)
  for _, id in ipairs(ids) do
    local record = records.at(id)
    if record then
      cancelling.cancel(id, record)
    end
  end
  if args[2] == '1' then
    redis.call('UNLINK', keys.answer)
  end
  return committing.finish({ 'OK' })
end

return verbs
