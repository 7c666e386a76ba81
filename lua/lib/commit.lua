-- Writes all changes of a script. Scripts that change reservations call it through finish().
--@include callWith
--@include history
--@include marks
--@include poolFields
--@include publish
--@include written

-- True if the earliest due time must be read again: a new reservation only lowers it, but ending one may raise it.
local isDueStale = false

-- Writes the records of slots, and the due times of reservations. Notes what ended, for the history.
local function writeRecords()
  local set, del, due, undue = {}, {}, {}, {}
  -- The further slots of a reservation have one record, which is packed once.
  local packed, packedRecord, endedAt
  for _, slot in ipairs(changed) do
    local before, record = original[slot], records[slot]
    if record ~= before then
      if record then
        set[#set + 1] = slot
        if record ~= packedRecord or record.token then
          packed, packedRecord = pack(slot, record), record
        end
        set[#set + 1] = packed
      else
        del[#del + 1] = slot
      end
      local dueBefore = before and before.token and before.expiresAt or 0
      local dueNow = record and record.token and record.expiresAt or 0
      if dueBefore > 0 and dueNow == 0 then
        undue[#undue + 1] = before.slot
      elseif dueNow > 0 and dueNow ~= dueBefore then
        due[#due + 1] = dueNow
        due[#due + 1] = record.slot
        tenant.nextDue = math.min(tenant.nextDue, dueNow)
      end
      if before and before.token and before.fence ~= (record and record.fence) and limits.history > 0 then
        local how, packed = howEnded and howEnded[before.fence], before.packed
--@include leanRecord
        past, endedAt = past or {}, endedAt or '\n' .. nowMs .. ' '
        local n = #past
        past[n + 1] = how and how[1] or 'R'
        past[n + 2] = slot .. endedAt .. (how and how[2] or '') .. '\n' .. packed
      end
    end
  end
  callWith('HSET', slotsKey, set)
  callWith('HDEL', slotsKey, del)
  callWith('ZADD', dueKey, due)
  callWith('ZREM', dueKey, undue)
end

-- Writes the history of what ended. Dropping what is too old is approximate: whole nodes of the stream, now and then.
local function writePast()
  for at = 2, #past, 2 do
    written = written + PER_ENTRY + #past[at]
  end
  for i = 1, #past, 20 do
    redis.call('XADD', historyKey, '*', unpack(past, i, math.min(i + 19, #past)))
  end
  if nowUs % 16 == 0 then
    redis.call('XTRIM', historyKey, 'MAXLEN', '~', limits.history)
  end
end

-- Writes all changes and publishes their events. Takes the usage to charge (quota.lua); nil charges nothing.
local function commit(usage)
  local setPools, delPools = {}, {}
  if arePoolsTouched then
    setPools, delPools = poolFields()
  end
  writeRecords()
  if past then
    writePast()
  end
  -- Delete before set: one script may release an owner's slot and assign the owner a new one.
  callWith('HDEL', poolsKey, delPools)
  callWith('HSET', poolsKey, setPools)
  if writeMarks then
    writeMarks()
  end
  if isDueStale then
    tenant.nextDue = tonumber(redis.call('ZRANGE', dueKey, 0, 0, 'WITHSCORES')[2] or math.huge)
  end
  local fields = {}
  if isDueStale or #changed > 0 then
    fields = { 'count', tenant.count, 'fence', string.format('%d', tenant.fence) }
    if tenant.nextDue ~= tenant.nextDueBefore then
      fields[5], fields[6] = 'nextDue', tenant.nextDue
    end
    if tenant.further ~= tenant.furtherBefore then
      fields[#fields + 1] = 'further'
      fields[#fields + 1] = tenant.further
    end
  end
  if tenant.queue then
    tenant.queue.write(fields)
  end
  if tenant.sessions then
    tenant.sessions.write(fields)
  end
  if tenant.indexed ~= tenant.indexedBefore then
    fields[#fields + 1] = 'indexed'
    fields[#fields + 1] = tenant.indexed
  end
  if usage then
    fields[#fields + 1] = 'usage'
    fields[#fields + 1] = usage
  end
  addBytes(fields)
  publish(fields)
  if tenant.queue then
    tenant.queue.publishWakes()
  end
end
