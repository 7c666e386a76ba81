-- Carries out a request with an Idempotency-Key once (docs/specification.md#repeating-safely). Its reply is stored
-- under a Redis key of its own, by the script that carries it out, and a repeat gets it from there. So a repeat never
-- meets a request that is half done, on any instance.
--
-- The stored value: the fingerprint of the request (flags.lua), its place (16 digits), a form (one letter) and the
-- rest:
--   r  the reply, packed
--   l  a reply that is too long to be kept
--   w  something in the request waits: a repeat goes on waiting, and another request is a mismatch
--   p  a piece of a request that takes several (cancel.lua): ms of the piece, and its cursor, packed
-- The list of the tenant's answers, oldest first, bounds them: each entry is '<ms> <place> <end> <Redis key>'. Place
-- and end count the bytes that were stored before it and with it.
local clock = require('frame/clock')
local flags = require('frame/flags')
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local tenantRecord = require('frame/save')
-- A field: cursor, where the next piece of this request begins if nobody carries it on; nil none.
local idempotency = {}
local KEEP_MS, MAX_REPLY_BYTES = 600000, 65536
local MAX_TENANT_BYTES = 16777216
-- Memory that Redis needs for an answer besides its bytes.
local ENTRY_BYTES = 300
-- To make room for the longest answer, fewer have to be dropped.
local MAX_DROPPED = 200
-- A request in pieces goes on for less time than this.
local RUNNING_MS = 3000

local function placeText(place)
  return string.format('%016.0f', place)
end

-- Returns the reply to a repeat; nil if the request is to be carried out.
function idempotency.before()
  local stored = redis.call('GET', keys.answer)
  if not stored then
    return nil
  elseif string.sub(stored, 1, 64) ~= flags.fingerprint then
    return { 'MISMATCH' }
  end
  local form, rest = string.sub(stored, 81, 81), string.sub(stored, 82)
  if form == 'w' then
    return nil
  elseif form == 'l' then
    return { 'NOT_KEPT' }
  elseif form == 'p' then
    local since, cursor = unpack(cmsgpack.unpack(rest))
    if not flags.isContinued and clock.nowMs() >= since and clock.nowMs() - since < RUNNING_MS then
      return { 'RUNNING' }
    end
    idempotency.cursor = not flags.isContinued and cursor or nil
    return nil
  end
  local reply = cmsgpack.unpack(rest)
  reply[1] = flags.isRepeated and 'OK' or 'REPLAYED'
  return reply
end

-- Drops answers whose time is over, which Redis has removed by itself, and the oldest ones up to a place. Their keys
-- cannot be declared, but lie in the tenant's slot. No script runs while that is moved: its own key is not there yet.
local function dropOldest(upTo)
  for _ = 1, MAX_DROPPED do
    local oldest = redis.call('LINDEX', keys.answers, 0)
    local ms, place, key = string.match(oldest or '', '^(%d+) (%d+) %d+ (.+)$')
    if not ms then
      return
    end
    local isOver = clock.nowMs() - ms >= KEEP_MS
    if not isOver and tonumber(place) >= upTo then
      return
    end
    redis.call('LPOP', keys.answers)
    -- A request that waited was stored again later: only its last answer has this place.
    if not isOver and redis.pcall('GETRANGE', key, 64, 79) == placeText(place) then
      redis.pcall('UNLINK', key)
    end
  end
end

local function store(form, rest)
  local newest = redis.call('LINDEX', keys.answers, -1)
  local place = tonumber(string.match(newest or '', '^%d+ %d+ (%d+)') or 0)
  local finish = place + ENTRY_BYTES + 2 * #keys.answer + 81 + #rest
  dropOldest(finish - math.min(MAX_TENANT_BYTES, tenant.limits.bytes / 4))
  redis.call('SET', keys.answer, flags.fingerprint .. placeText(place) .. form .. rest, 'PX', KEEP_MS)
  redis.call('RPUSH', keys.answers, string.format('%.0f %.0f %.0f %s', clock.nowMs(), place, finish, keys.answer))
  redis.call('PEXPIRE', keys.answers, KEEP_MS)
  if tenant.bytes < math.huge then
    tenant.bytes = tenant.bytes + math.ceil(1.25 * (finish - place))
    tenantRecord.saveTenant()
  end
end

-- Keeps the reply to a request that was carried out. Call it when all changes are written.
function idempotency.keep(reply)
  for _, item in ipairs(reply) do
    if string.sub(item, 1, 7) == 'WAITING' then
      return store('w', '')
    end
  end
  local packed = cmsgpack.pack(reply)
  if #packed > MAX_REPLY_BYTES then
    store('l', '')
  else
    store('r', packed)
  end
end

-- Keeps where the next piece of the request goes on: if nobody carries it on for a while, a repeat does.
function idempotency.keepPiece(cursor)
  store('p', cmsgpack.pack({ clock.nowMs(), cursor }))
end

function idempotency.begin()
  idempotency.cursor = nil
end

return idempotency
