-- Writes all changes of a call, also those of reservations that it ended because they were due; or rolls back what a
-- request has changed, before anything of it is written. Verbs call finish() last. Field: isDueStale, true if the
-- earliest due time must be read again: a new reservation only lowers it, but ending one may raise it.
local bytes = require('limits/bytes')
local codec = require('slots/codec')
local conditions = require('slots/conditions')
local events = require('events/events')
local history = require('history/ended')
local keys = require('frame/keys')
local quota = require('limits/quota')
local records = require('bookings/records')
local poolFields = require('slots/poolFields')
local releasing = require('reservations/release')
local slotMap = require('slots/slots')
local starts = require('bookings/starts')
local tenant = require('frame/tenant')
local work = require('frame/work')
local committing = {}

-- Adds what a slot's change means for the set of due reservations: time, slot, ... to add, and slots to remove.
local function noteDue(due, undue, before, record)
  local dueBefore = before and before.token and before.expiresAt or 0
  local dueNow = record and record.token and record.expiresAt or 0
  if dueBefore > 0 and dueNow == 0 then
    undue[#undue + 1] = before.slot
  elseif dueNow > 0 and dueNow ~= dueBefore then
    due[#due + 1] = dueNow
    due[#due + 1] = record.slot
    tenant.nextDue = math.min(tenant.nextDue, dueNow)
  end
end

-- Writes the records of slots, and the due times of reservations. Notes what ended, for the history.
local function writeRecords()
  local set, del, due, undue = {}, {}, {}, {}
  -- The other slots of a reservation have one record, which is packed once.
  local packed, packedRecord
  for _, slot in ipairs(slotMap.changed) do
    local before, record = slotMap.original[slot], slotMap.records[slot]
    if record ~= before then
      if record then
        set[#set + 1] = slot
        if record ~= packedRecord or record.token then
          packed, packedRecord = codec.pack(slot, record), record
        end
        set[#set + 1] = packed
      else
        del[#del + 1] = slot
      end
      noteDue(due, undue, before, record)
      if before and before.token and before.fence ~= (record and record.fence) then
        history.noteEnded(slot, before)
      end
    end
  end
  bytes.callWith('HSET', keys.slots, set)
  bytes.callWith('HDEL', keys.slots, del)
  bytes.callWith('ZADD', keys.due, due)
  bytes.callWith('ZREM', keys.due, undue)
end

-- Returns the extra fields of the tenant to write: field, value, ...; nil if it has neither a queue nor sessions.
local function tenantFields()
  if not tenant.queue and not tenant.sessions then
    return nil
  end
  local fields = {}
  if tenant.queue then
    tenant.queue.write(fields)
  end
  if tenant.sessions then
    tenant.sessions.write(fields)
  end
  return fields
end

-- Writes all changes and publishes their events. Takes whether what was charged is booked (limits/quota.lua).
function committing.commit(isCharged)
  local setPools, delPools
  if slotMap.arePoolsTouched then
    setPools, delPools = poolFields.poolFields()
  end
  if slotMap.changed[1] then
    writeRecords()
  end
  records.write()
  conditions.write()
  if history.past then
    history.write()
  end
  if setPools then
    -- Delete before set: one call may release an owner's slot and assign the owner a new one.
    bytes.callWith('HDEL', keys.pools, delPools)
    bytes.callWith('HSET', keys.pools, setPools)
  end
  if tenant.marks then
    poolFields.writeMarks()
  end
  if committing.isDueStale then
    local first = tonumber(redis.call('ZRANGE', keys.due, 0, 0, 'WITHSCORES')[2] or math.huge)
    tenant.nextDue = math.min(first, records.nextDue())
  end
  local fields = tenantFields()
  bytes.addBytes()
  if isCharged then
    quota.book()
  end
  events.publish(fields)
  if tenant.queue then
    tenant.queue.publishWakes()
  end
end

-- Tries delayed bookings, settles the queue, commits all changes and, if isCharged, what was charged. Returns the
-- reply.
-- The quota in the reply of a charged request gets one more number, the work that it took (frame/work.lua). If the
-- tenant has tickets, it gets two more: ms until something of the tenant is due (-1: nothing), and the number of reads
-- to charge. If the call has written to the outbox, `o` follows.
function committing.finish(reply, isCharged)
  starts.retry()
  if tenant.queueText and not tenant.queue then
    tenant.openForChanges()
  end
  if tenant.queue then
    tenant.queue.settle()
  end
  committing.commit(isCharged)
  if isCharged and reply and reply[1] == 'OK' then
    reply[2] = reply[2] .. ' ' .. math.floor(work.done)
    if tenant.queueText or tenant.queue then
      reply[2] = reply[2] .. ' ' .. tenant.dueInMs() .. ' ' ..
        (tenant.queue and tenant.queue.reads and tenant.queue.reads() or 0)
    end
    if events.isKept then
      reply[2] = reply[2] .. ' o'
    end
  end
  return reply
end

-- Returns the state before a request's changes.
function committing.stateBefore()
  return {
    journal = #slotMap.journal, freed = #releasing.freed, fence = tenant.fence, count = tenant.count + tenant.moreSlots,
  }
end

-- Rolls back all changes since a state, including fencing tokens and freed slots. Expired reservations stay ended: they
-- were ended before.
function committing.rollBack(before)
  slotMap.undo(before.journal)
  tenant.fence = before.fence
  for i = #releasing.freed, before.freed + 1, -1 do
    releasing.freed[i] = nil
  end
end

-- Ends a call whose search for a resource that fits has to go on in another one (reservations/match.lua): rolls back,
-- and writes what the search has noted so far. Returns the reply {'AGAIN'}.
function committing.again(before)
  committing.rollBack(before)
  if tenant.queue then
    tenant.queue.dropClaims(0)
    tenant.queue.suspend()
  end
  return committing.finish({ 'AGAIN' })
end

function committing.begin()
  committing.isDueStale = false
end

return committing
