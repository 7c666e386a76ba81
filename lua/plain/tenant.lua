-- The tenant's hash, as far as a plain request needs it. lua/lib/tenant.lua lists the fields.
-- begin() assigns all state of this module, so nothing stays from the call before.
local limitsOf = require('frame/limits')
local tenant = {}

local MINUTE_MS, DAY_MS = 60000, 86400000
local NO_LIMIT = 9007199254740992
-- A write of this many bytes to a hash, a sorted set or the history takes at most this much more (lua/lib/written.lua).
local PER_ENTRY, ROUNDED_UP = 128, 1.25

local key, nowUs, nowMs
-- earliest: when the first of the new reservations ends, in ms; infinite if none does.
local limits, count, further, fence, nextDue, nextDueBefore, indexed, earliest, bytes, written, isChanged
local usage, quota

-- Reads the tenant for a credential: the SHA-256 of an API key. Returns the fields in the order of lua/lib/tenant.lua,
-- which takes them over; and true if a request with this key is plain: the key has the right `reserve` for all names,
-- and nothing of the tenant is due, waits, or belongs to a session.
function tenant.begin(tenantKey, credential)
  key = tenantKey
  local found = redis.call(
    'HMGET', key,
    'key:' .. credential, 'suspended', 'tier', 'count', 'fence', 'nextDue', 'indexed', 'definitions',
    'requireRegistration', 'usage', 'listenUntil', 'messages', 'closing', 'publisher', 'queue', 'beats', 'further',
    'sessions', 'labelled', 'grant:' .. credential, 'terms', 'bytes'
  )
  local rights = found[20] and string.match(found[20], '^([^\n]*)\n0\n$')
  local isPlain = found[1] and found[3] and found[2] ~= '1' and found[9] ~= '1' and not found[15] and not found[18] and
    (not found[21] or found[21] == '') and
    (not found[20] or rights and string.find(' ' .. rights .. ' ', ' reserve ', 1, true))
  return found, isPlain and true or false
end

-- Takes what begin() has read, and the time. Returns true if nothing is due yet.
function tenant.use(found, us)
  nowUs, nowMs = us, math.floor(us / 1000)
  limits = limitsOf(found[3])
  count, fence = tonumber(found[4] or 0), tonumber(found[5] or 0)
  further = count > 0 and tonumber(found[17] or 0) or 0
  nextDue, indexed = tonumber(found[6] or math.huge), tonumber(found[7] or math.huge)
  nextDueBefore, earliest, written, isChanged = nextDue, math.huge, 0, false
  bytes = tonumber(found[22] or math.huge)
  tenant.label = found[1]
  tenant.keepsHistory = limits.history > 0
  usage = found[10]
  return nextDue > nowMs
end

local function quotaOf(limit, spent, leftMs)
  return limit == NO_LIMIT and '-1 0 0' or
    string.format('%d %d %d', limit, math.max(0, limit - spent), math.ceil(leftMs / 1000))
end

-- Charges writes (lua/lib/quota.lua). Returns false, with nothing charged, if they exceed the quota.
function tenant.charge(cost)
  local windowStart, thisMinute, day, today = 0, 0, 0, 0
  if usage then
    windowStart, thisMinute, day, today = struct.unpack('>I7I4I4I4', usage)
  end
  -- A failover can set Redis's clock back.
  if nowMs >= windowStart + MINUTE_MS or nowMs < windowStart then
    windowStart, thisMinute = nowMs, 0
  end
  local thisDay = math.floor(nowMs / DAY_MS)
  if thisDay ~= day then
    day, today = thisDay, 0
  end
  thisMinute, today = thisMinute + cost, today + cost
  if thisMinute > limits.writesPerMinute or today > limits.writesPerDay then
    return false
  end
  usage = struct.pack('>I7I4I4I4', windowStart, thisMinute, day, today)
  quota = quotaOf(limits.writesPerMinute, thisMinute, windowStart + MINUTE_MS - nowMs) .. ' ' ..
    quotaOf(limits.writesPerDay, today, (day + 1) * DAY_MS - nowMs)
  return true
end

-- Returns the quota as replies have it (lua/lib/quota.lua), with the work of the request.
function tenant.quota(work)
  return string.format('%s %d', quota, work)
end

-- Counts a new reservation that ends at a time in ms, 0 never. Returns its fencing token.
function tenant.add(expiresAt)
  count, fence, isChanged = count + 1, math.max(fence + 1, nowUs), true
  if expiresAt > 0 then
    earliest = math.min(earliest, expiresAt)
    nextDue = math.min(nextDue, expiresAt)
  end
  return fence
end

-- Counts a reservation that has ended.
function tenant.remove()
  count, isChanged = count - 1, true
end

-- Returns true if the new reservations exceed the cap or the limit of bytes, or if the expiry index may not have the
-- tenant early enough for them (lua/lib/cap.lua, index.lua).
function tenant.hasNoRoom()
  return isChanged and
    (count + further > limits.reservations or limits.bytes < NO_LIMIT and bytes >= limits.bytes or
      earliest < indexed)
end

-- Notes that an entry of so many bytes is written.
function tenant.note(size)
  written = written + PER_ENTRY + ROUNDED_UP * size
end

-- Notes that an entry of the history is written.
function tenant.notePast(size)
  written = written + PER_ENTRY + size
end

-- Returns true now and then: the history then drops entries above the limit, which follows.
function tenant.isTrimming()
  return nowUs % 16 == 0, limits.history
end

-- Writes the record, with further fields: field, value, ...
function tenant.commit(fields)
  local n = #fields
  fields[n + 1], fields[n + 2] = 'usage', usage
  if isChanged then
    fields[n + 3], fields[n + 4], fields[n + 5], fields[n + 6] = 'count', count, 'fence', string.format('%d', fence)
    n = n + 4
  end
  if nextDue ~= nextDueBefore then
    fields[n + 3], fields[n + 4] = 'nextDue', nextDue
    n = n + 2
  end
  if written > 0 and bytes < math.huge then
    fields[n + 3], fields[n + 4] = 'bytes', string.format('%.0f', bytes + written)
  end
  redis.call('HSET', key, unpack(fields))
end
return tenant
