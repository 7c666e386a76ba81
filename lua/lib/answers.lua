-- Remembers the reply to a request for 5 s, which is longer than send() retries (src/redis/send.ts). If a reply is
-- lost, the retry gets the remembered one, and the request does not run twice.
--@include flags

-- Returns the reply of this request's first try; nil if it has not run yet.
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
