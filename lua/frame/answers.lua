-- Gives a repeated request the reply to its first try, so that it does not run twice. There are two kinds:
--   a request that the instance repeats, since the connection was lost (send() in src/redis/send.ts). Verbs that must
--     not run twice remember their reply for 5 s, which is longer than that goes on. It is packed; or
--     joined as it was (plain/plain.lua), which is quicker
--   a request with an Idempotency-Key, which its caller repeats (docs/specification.md#repeating-safely). Its reply is
--     stored under a Redis key of its own, by the script that carries it out, and a repeat gets it from there. So a
--     repeat never meets a request that is half done, on any instance
--
-- The value of the second kind: the fingerprint of the request (frame/call.lua), its place (16 digits), a form
-- (one letter) and the rest:
--   r  the reply, packed
--   l  a reply that is too long to be kept
--   w  something in the request waits: a repeat goes on waiting, and another request is a mismatch
--   p  a piece of a request that takes several (verbs/waiting.lua): ms of the piece, and its cursor, packed
-- The list of the tenant's answers, oldest first, bounds them: each entry is '<ms> <place> <end> <Redis key>'. Place
-- and end count the bytes that were stored before it and with it.
-- Field: cursor, where the next piece of this request begins if nobody carries it on; nil none.
local clock = require('frame/clock')
local flags = require('frame/call').flags
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local answers = {}
-- The time to keep a reply: with an Idempotency-Key, and without one. That is a text, as redis.call() turns a number
-- into one in 3,000 instructions.
local KEEP_MS, ANSWER_MS = 600000, '5000'
local MAX_REPLY_BYTES = 65536
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

-- Returns the reply to a repeat of a request with an Idempotency-Key; nil if the request is to be carried out.
local function beforeRepeat()
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
    answers.cursor = not flags.isContinued and cursor or nil
    return nil
  end
  local reply = cmsgpack.unpack(rest)
  reply[1] = flags.isRepeated and 'OK' or 'REPLAYED'
  return reply
end

-- Drops the oldest answers up to a place, and those that have expired in Redis. Their keys
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
    tenant.save()
  end
end

-- Stores the reply to a request with an Idempotency-Key.
local function storeReply(reply)
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

-- Reads a remembered reply.
local function unpackReply(packed)
  if packed == '' then
    return { 'UNKNOWN' }
  end
  return string.sub(packed, 1, 3) == 'OK\r' and packed or cmsgpack.unpack(packed)
end

-- Returns the reply to this request's first try; nil if it is to be carried out. Takes whether its verb remembers
-- replies.
function answers.before(isRemembered)
  if flags.fingerprint then
    return beforeRepeat()
  end
  local packed = isRemembered and flags.isRepeated and redis.call('GET', keys.answer)
  return packed and unpackReply(packed) or nil
end

-- A long reply is not kept: a retry of its request gets {'UNKNOWN'}.
local function remember(reply)
  local packed = cmsgpack.pack(reply)
  redis.call('PSETEX', keys.answer, ANSWER_MS, #packed > MAX_REPLY_BYTES and '' or packed)
end

-- Keeps a joined reply (plain/plain.lua) under a key, as the verb's request must not run twice. Returns it.
function answers.remember(key, text)
  redis.call('PSETEX', key, ANSWER_MS, #text > MAX_REPLY_BYTES and '' or text)
  return text
end

-- Keeps the reply for a repeat, and returns it. Call it when all changes are written. Takes the cursor at which the
-- next piece of the request goes on, nil if it takes one.
function answers.keep(reply, isRemembered, cursor)
  if flags.fingerprint and cursor then
    -- If nobody carries it on for a while, a repeat does.
    store('p', cmsgpack.pack({ clock.nowMs(), cursor }))
  elseif flags.fingerprint then
    storeReply(reply)
  elseif isRemembered then
    remember(reply)
  end
  return reply
end

function answers.begin()
  answers.cursor = nil
end

return answers
