-- Writes times as texts, which Redis's Lua cannot.
local isoTime = {}
local DAY_MS = 86400000
local floor, format = math.floor, string.format

-- Returns year, month and day of a number of days since 1970. Years begin with March here, so that the day which leap
-- years have more is their last; 400 of them have as many days as any other 400.
local function dateOf(days)
  local since = days + 719468
  local era = floor(since / 146097)
  local day = since - era * 146097
  local year = floor((day - floor(day / 1460) + floor(day / 36524) - floor(day / 146096)) / 365)
  local dayOfYear = day - (365 * year + floor(year / 4) - floor(year / 100))
  local month = floor((5 * dayOfYear + 2) / 153)
  local isNextYear = month > 9
  return year + era * 400 + (isNextYear and 1 or 0), isNextYear and month - 9 or month + 3,
    dayOfYear - floor((153 * month + 2) / 5) + 1
end

-- Returns ms since 1970, UTC, as ISO 8601: 2026-11-24T09:00:00.000Z.
function isoTime.of(ms)
  local year, month, day = dateOf(floor(ms / DAY_MS))
  local ofDay = ms % DAY_MS
  return format(
    '%04d-%02d-%02dT%02d:%02d:%06.3fZ', year, month, day, floor(ofDay / 3600000), floor(ofDay / 60000) % 60,
    ofDay % 60000 / 1000
  )
end

return isoTime
