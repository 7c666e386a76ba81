-- Reads Redis's clock once per call, so that no instance's clock matters (docs/specification.md#words).
-- Declares nowUs and nowMs: microseconds and milliseconds since 1970 UTC.
-- The plain way (lua/verbs) may have read it before.
local nowUs = handed and handed.nowUs
if not nowUs then
  local time = redis.call('TIME')
  nowUs = time[1] * 1000000 + time[2]
end
local nowMs = math.floor(nowUs / 1000)
