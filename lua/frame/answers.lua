-- Remembers the reply to a request for 5 s, which is longer than send() retries (src/redis/send.ts). If a reply is
-- lost, the retry gets the remembered one, and the request does not run twice. It is packed; or texts with \r
-- between, which is quicker (lua/verbs/unreserve.lua).
local flags = require('frame/flags')
local keys = require('frame/keys')
local answers = {}

-- Returns the reply of this request's first try; nil if it has not run yet.
function answers.answerBefore()
  local packed = flags.isRepeated and redis.call('GET', keys.answer)
  if not packed then
    return nil
  end
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

-- Remembers a reply and returns it. A long reply is not kept: a retry of its request gets {'UNKNOWN'}.
function answers.remember(reply)
  local ANSWER_MS, MAX_ANSWER_BYTES = 5000, 65536
  local packed = cmsgpack.pack(reply)
  redis.call('SET', keys.answer, #packed > MAX_ANSWER_BYTES and '' or packed, 'PX', ANSWER_MS)
  return reply
end

return answers
