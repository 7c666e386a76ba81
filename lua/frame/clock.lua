-- Redis's clock, read once per call, so that no instance's clock matters (docs/specification.md#words).
local call = require('frame/call')
local keys = require('frame/keys')
local readTime = require('frame/now')
local clock = {}
local nowUs, nowMs

-- Returns the time in us since 1970, UTC.
function clock.nowUs()
  if not nowUs then
    nowUs = readTime(keys.tenant)
  end
  return nowUs
end

-- Returns the time in ms since 1970, UTC.
function clock.nowMs()
  nowMs = nowMs or math.floor(clock.nowUs() / 1000)
  return nowMs
end

function clock.begin()
  nowUs, nowMs = call.handed and call.handed.nowUs, nil
end

return clock
