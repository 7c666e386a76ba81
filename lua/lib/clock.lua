-- Reads Redis's clock once per call, so that no instance's clock matters (docs/specification.md#words).
-- Declares nowUs and nowMs: microseconds and milliseconds since 1970 UTC.
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowMs = math.floor(nowUs / 1000)
