-- Gives a repeated request the reply to its first try, so that it does not run twice. There are two kinds:
--   a request with an Idempotency-Key, which its caller repeats (frame/idempotency.lua)
--   a request that the instance repeats, since the connection was lost (send() in src/redis/send.ts). Verbs that must
--     not run twice remember their reply for 5 s, which is longer than that goes on. It is packed; or texts with \r
--     between, which is quicker (lua/plain/unreserve.lua)
local flags = require('frame/flags')
local idempotency = require('frame/idempotency')
local keys = require('frame/keys')
local answers = {}
local ANSWER_MS, MAX_ANSWER_BYTES = 5000, 65536

-- Reads a remembered reply.
local function unpackReply(packed)
  if packed == '' then
    return { 'UNKNOWN' }
  elseif string.sub(packed, 1, 3) ~= 'OK\r' then
    return cmsgpack.unpack(packed)
  end
  local reply = {}
  for text in string.gmatch(packed .. '\r', '([^\r]*)\r') do
    reply[#reply + 1] = text
  end
  return reply
end

-- Returns the reply to this request's first try; nil if it is to be carried out. Takes whether its verb remembers
-- replies.
function answers.before(isRemembered)
  if flags.fingerprint then
    return idempotency.before()
  end
  local packed = isRemembered and flags.isRepeated and redis.call('GET', keys.answer)
  return packed and unpackReply(packed) or nil
end

-- A long reply is not kept: a retry of its request gets {'UNKNOWN'}.
local function remember(reply)
  local packed = cmsgpack.pack(reply)
  redis.call('SET', keys.answer, #packed > MAX_ANSWER_BYTES and '' or packed, 'PX', ANSWER_MS)
end

-- Keeps a reply that has only texts under a key, as the verb's request must not run twice. Returns it.
function answers.remember(key, reply)
  local text = reply[4] and table.concat(reply, '\r') or reply[1] .. '\r' .. reply[2] .. '\r' .. reply[3]
  redis.call('SET', key, #text > MAX_ANSWER_BYTES and '' or text, 'PX', ANSWER_MS)
  return reply
end

-- Keeps the reply for a repeat, and returns it. Call it when all changes are written. Takes the cursor at which the
-- next piece of the request goes on, nil if it takes one.
function answers.keep(reply, isRemembered, cursor)
  if flags.fingerprint and cursor then
    idempotency.keepPiece(cursor)
  elseif flags.fingerprint then
    idempotency.keep(reply)
  elseif isRemembered then
    remember(reply)
  end
  return reply
end

return answers
