-- Writes all changes of a call.
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local codec = require('slots/codec')
local events = require('events/events')
local history = require('history/ended')
local hotField = require('frame/hot')
local keys = require('frame/keys')
local poolFields = require('slots/poolFields')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local committing = {}

-- Notes the change of a slot's due time: in `due` the new one, in `undue` a slot that is not due any more.
local function noteDue(before, record, due, undue)
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

-- Notes a reservation that has ended, for the history.
local function noteEnded(slot, ended)
  local how, packed = history.howEnded and history.howEnded[ended.fence], history.leanRecord(slot, ended.packed)
  local past = history.past or {}
  history.past = past
  past[#past + 1] = how and how[1] or 'R'
  past[#past + 1] = slot .. '\n' .. clock.nowMs() .. ' ' .. (how and how[2] or '') .. '\n' .. packed
end

-- Writes the records of slots, and the due times of reservations. Notes what ended, for the history.
local function writeRecords()
  local set, del, due, undue = {}, {}, {}, {}
  -- The further slots of a reservation have one record, which is packed once.
  local packed, packedRecord
  for _, slot in ipairs(slotMap.changed) do
    local before, record = slotMap.original[slot], slotMap.records[slot]
    if record and record ~= before then
      set[#set + 1] = slot
      if record ~= packedRecord or record.token then
        packed, packedRecord = codec.pack(slot, record), record
      end
      set[#set + 1] = packed
    elseif record ~= before then
      del[#del + 1] = slot
    end
    if record ~= before then
      noteDue(before, record, due, undue)
      if before and before.token and before.fence ~= (record and record.fence) and tenant.limits.history > 0 then
        noteEnded(slot, before)
      end
    end
  end
  bytes.callWith('HSET', keys.slots, set)
  bytes.callWith('HDEL', keys.slots, del)
  bytes.callWith('ZADD', keys.due, due)
  bytes.callWith('ZREM', keys.due, undue)
end

-- Writes the history of what ended. Dropping what is too old is approximate: whole nodes of the stream, now and then.
local function writePast()
  for at = 2, #history.past, 2 do
    bytes.written = bytes.written + bytes.PER_ENTRY + #history.past[at]
  end
  for i = 1, #history.past, 20 do
    redis.call('XADD', keys.history, '*', unpack(history.past, i, math.min(i + 19, #history.past)))
  end
  if clock.nowUs() % 16 == 0 then
    redis.call('XTRIM', keys.history, 'MAXLEN', '~', tenant.limits.history)
  end
end

-- Writes all changes and publishes their events. Takes the usage to charge (limits/quota.lua); nil charges nothing.
function committing.commit(usage)
  local setPools, delPools = {}, {}
  if slotMap.arePoolsTouched then
    setPools, delPools = poolFields.poolFields()
  end
  writeRecords()
  if history.past then
    writePast()
  end
  -- Delete before set: one script may release an owner's slot and assign the owner a new one.
  bytes.callWith('HDEL', keys.pools, delPools)
  bytes.callWith('HSET', keys.pools, setPools)
  if tenant.marks then
    poolFields.writeMarks()
  end
  if committing.isDueStale then
    tenant.nextDue = tonumber(redis.call('ZRANGE', keys.due, 0, 0, 'WITHSCORES')[2] or math.huge)
  end
  local fields, stored = {}, tenant.stored
  if committing.isDueStale or #slotMap.changed > 0 then
    stored[hotField.COUNT], stored[hotField.FENCE] = tenant.count, tenant.fence
    stored[hotField.MORE_SLOTS] = tenant.further
    stored[hotField.NEXT_DUE] = math.min(tenant.nextDue, hotField.NEVER)
  end
  if tenant.queue then
    tenant.queue.write(fields)
  end
  if tenant.sessions then
    tenant.sessions.write(fields)
  end
  stored[hotField.INDEXED] = math.min(tenant.indexed, hotField.NEVER)
  bytes.addBytes()
  events.publish(fields, usage)
  if tenant.queue then
    tenant.queue.publishWakes()
  end
end

-- Ends every call that changes reservations. All its changes take effect here, including ended expired reservations.
-- Settles the queue, commits all changes and the usage to charge (limits/quota.lua; nil none), and returns the reply.
-- The quota in the reply of a charged request gets a further number, the work that it took (frame/work.lua). If the
-- tenant has tickets, it gets two more: ms until something of the tenant is due (-1: nothing), and the number of reads
-- to charge.
function committing.finish(reply, usage)
  if tenant.queueText and not tenant.queue then
    tenant.openForChanges()
  end
  if tenant.queue then
    tenant.queue.settle()
  end
  committing.commit(usage)
  if usage and reply and reply[1] == 'OK' then
    reply[2] = reply[2] .. ' ' .. math.floor(work.done)
    if tenant.queueText or tenant.queue then
      reply[2] = reply[2] .. ' ' .. tenant.dueInMs() .. ' ' ..
        (tenant.queue and tenant.queue.reads and tenant.queue.reads() or 0)
    end
  end
  return reply
end

function committing.begin()
  -- True if the earliest due time must be read again: a new reservation only lowers it, but ending one may raise it.
  committing.isDueStale = false
end

return committing
