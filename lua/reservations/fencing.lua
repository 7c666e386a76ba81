-- Fencing tokens (docs/specification.md#fencing-tokens): of a tenant, each is higher than the last one.
local fencing = {}

-- Returns the token that follows the last one. It is the time in us of Redis, so tokens also rise if the last one is
-- lost; or the last one and 1, if the clock is not later than that.
function fencing.after(last, nowUs)
  return last < nowUs and nowUs or last + 1
end

return fencing
