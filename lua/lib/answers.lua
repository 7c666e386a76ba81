-- Remembers the reply of a request under the request's own key for 5 s, longer than send() repeats it
-- (src/redis/client.ts). A request whose reply was lost is then not carried out, nor told, twice.
--@include flags
local ANSWER_MS = 5000
-- A longer reply is not kept: a repeat of its request is told that the outcome is unknown.
local MAX_ANSWER_BYTES = 65536

-- The reply that was given to this request; nil if it was not carried out yet.
local function answerBefore()
  local packed = isRepeated and redis.call('GET', answerKey)
  if not packed then
    return nil
  end
  return packed == '' and { 'UNKNOWN' } or cmsgpack.unpack(packed)
end

-- Returns the reply.
local function remember(reply)
  local packed = cmsgpack.pack(reply)
  redis.call('SET', answerKey, #packed > MAX_ANSWER_BYTES and '' or packed, 'PX', ANSWER_MS)
  return reply
end
