-- The work budget of one script, so that no request keeps Redis busy for more than a few milliseconds, whatever the tenant's state.
-- A unit is about a microsecond of a quiet core. Whatever reads, walks or builds spends; a request that would spend more than
-- MAX_WORK is refused whole, before anything is written.
local MAX_WORK = 8000
local work, budget = 0, math.huge
local OVER_BUDGET = {}

-- Spends units. Raises OVER_BUDGET if that is more than the budget, which is unlimited until limitWork().
local function spend(units)
  work = work + units
  if work > budget then
    error(OVER_BUDGET)
  end
end

-- Runs a function under the budget. Returns true if it ran over it: then nothing of it may be committed.
local function isOverBudget(run)
  work, budget = 0, MAX_WORK
  local ok, failure = pcall(run)
  budget = math.huge
  if not ok and failure ~= OVER_BUDGET then
    error(failure, 0)
  end
  return not ok
end
