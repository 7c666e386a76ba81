-- The bytes that the tenant keeps in Redis (docs/specification.md#bytes-of-a-tenant). The tenant's number `bytes` is
-- what it kept when that was last measured, and what calls have written since to its hashes, sorted sets and history,
-- at least as much as Redis needs for them. Nothing is subtracted for what they remove, so it cannot drift below the
-- truth. Field: written, what this call has written.
local clock = require('frame/clock')
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local bytes = {}
local PER_ENTRY = 128

-- Adds what this call has written to what the tenant keeps. tenant.save() writes that.
function bytes.addBytes()
  if bytes.written > 0 and tenant.bytes < math.huge then
    tenant.bytes = tenant.bytes + math.ceil(bytes.written)
  end
  bytes.written = 0
end

-- Counts an entry of so many bytes that is written to a hash or a sorted set. Redis needs at most 128 bytes for it
-- besides, and rounds its bytes up, by a quarter at most.
function bytes.count(size)
  bytes.written = bytes.written + PER_ENTRY + 1.25 * size
end

-- Counts an entry of the history.
function bytes.countEnded(size)
  bytes.written = bytes.written + PER_ENTRY + size
end

-- Calls a variadic command with a list of any length, 1,000 arguments at a time (an even number, so pairs stay
-- together). An empty list makes no call. Returns the sum of the replies. Counts what HSET and ZADD write.
function bytes.callWith(command, key, list)
  local length, sum = #list, 0
  if length == 0 then
    return sum
  elseif command == 'HSET' then
    for at = 1, length, 2 do
      bytes.count(#list[at] + #list[at + 1])
    end
  elseif command == 'ZADD' then
    for at = 2, length, 2 do
      bytes.count(#list[at])
    end
  end
  for from = 1, length, 1000 do
    sum = sum + redis.call(command, key, unpack(list, from, math.min(from + 999, length)))
  end
  return sum
end

-- Returns the bytes of everything that the tenant keeps: exact for keys of at most so many entries, and estimated from
-- as many for others. Drops the oldest entries of the history if they take more than a quarter of the tenant's limit.
local function measureBytes()
  local SAMPLES, HISTORY_PART = 3000, 0.25
  local function bytesOf(key)
    return redis.call('MEMORY', 'USAGE', key, 'SAMPLES', SAMPLES) or 0
  end

  local history, part = bytesOf(keys.history), tenant.limits.bytes * HISTORY_PART
  if history > part then
    redis.call('XTRIM', keys.history, 'MAXLEN', math.floor(redis.call('XLEN', keys.history) * part / history * 0.9))
    history = bytesOf(keys.history)
  end
  local total = history
  for _, key in ipairs({
    keys.tenant, keys.slots, keys.due, keys.pools, keys.definitions, keys.nameIndex, keys.tickets, keys.queues,
    keys.waits, keys.sessions, keys.sessionHolds, keys.sessionsDue, keys.answers, keys.conditions, keys.clean,
    keys.bookings, keys.booked, keys.bookingsDue, keys.bookingChanges,
  }) do
    total = total + bytesOf(key)
  end
  -- The remembered replies have keys of their own; their list counts them (frame/answers.lua).
  local first = string.match(redis.call('LINDEX', keys.answers, 0) or '', '^%d+ (%d+)')
  local last = string.match(redis.call('LINDEX', keys.answers, -1) or '', '^%d+ %d+ (%d+)')
  total = total + (first and last - first or 0)
  tenant.saveBytes(total, { 'measured', string.format('%.0f %.0f', total, clock.nowMs()) })
  return total
end

-- Returns what the tenant keeps, in bytes, as it was at most a second ago, and at most 1/64 of the limit off. So no
-- caller makes this instance measure again and again.
function bytes.bytesNow()
  local AGAIN_MS, STEPS = 1000, 64
  local measured, ms = string.match(redis.call('HGET', keys.tenant, 'measured') or '', '^(%d+) (%d+)$')
  local isFresh = measured and clock.nowMs() - ms < AGAIN_MS and tenant.bytes - measured < tenant.limits.bytes / STEPS
  return isFresh and tonumber(measured) or measureBytes()
end

-- Returns true if the tenant keeps as many bytes as its tier allows. Call it only if tenant.bytes, which is never too
-- low, reaches the limit: it may measure.
function bytes.isOverBytes()
  return bytes.bytesNow() >= tenant.limits.bytes
end

function bytes.begin()
  bytes.written = 0
end

return bytes
