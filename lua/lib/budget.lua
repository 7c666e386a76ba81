-- The work budget (work.lua) of one request. A request that exceeds it is refused as a whole, before anything is
-- written.
--@include work
-- The message, which follows the place of the item that exceeded the budget.
local TOO_MUCH_WORK = ' takes the request over the work that one request may cause: send fewer items at a time'

-- Runs a function under the budget, or a share of it. Returns true if the function exceeded it. Then nothing may be
-- committed.
local MAX_WORK = 8000
local function isOverBudget(run, share)
  work, budget = 0, MAX_WORK * (share or 1)
  local ok, failure = pcall(run)
  budget = math.huge
  if not ok and failure ~= OVER_BUDGET then
    error(failure, 0)
  end
  return not ok
end
