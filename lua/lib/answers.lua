-- Remembers the reply to a request for 5 s, longer than send() retries (src/redis/send.ts). So a request whose reply
-- was lost is not carried out twice.
--@include flags

-- Returns the reply that this request got before; nil if it was not carried out yet.
local function answerBefore()
  local packed = flags.isRepeated and redis.call('GET', answerKey)
  if not packed then
    return nil
  end
  return packed == '' and { 'UNKNOWN' } or cmsgpack.unpack(packed)
end

-- Remembers a reply and returns it. A long reply is not kept: a retry of its request gets {'UNKNOWN'}.
local function remember(reply)
  local ANSWER_MS, MAX_ANSWER_BYTES = 5000, 65536
  local packed = cmsgpack.pack(reply)
  redis.call('SET', answerKey, #packed > MAX_ANSWER_BYTES and '' or packed, 'PX', ANSWER_MS)
  return reply
end
