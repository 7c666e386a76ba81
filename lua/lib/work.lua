-- The work budget of one script, so that no request keeps Redis busy for more than a few milliseconds, whatever the
-- tenant's state. A unit is about a microsecond of a quiet core. Whatever reads, walks or builds spends; a request that
-- would spend more than MAX_WORK is refused whole, before anything is written.
local MAX_WORK = 8000
local work, budget = 0, math.huge
local OVER_BUDGET = {}
-- What a request over the budget is told, after the place of the item at which it was.
local TOO_MUCH_WORK = ' takes the request over the work that one request may cause: send fewer items at a time'

-- Spends units. Raises OVER_BUDGET if that is more than the budget, which is unlimited until limitWork().
local function spend(units)
  work = work + units
  if work > budget then
    error(OVER_BUDGET)
  end
end

-- What it costs more to find a field in a hash of so many, which Redis keeps as a list that it walks.
local function shortHashCost(fields)
  return fields <= 512 and fields / 150 or 0
end

-- Runs a function under the budget, or a share of it. Returns true if it ran over it: then nothing of it may be
-- committed.
local function isOverBudget(run, share)
  work, budget = 0, MAX_WORK * (share or 1)
  local ok, failure = pcall(run)
  budget = math.huge
  if not ok and failure ~= OVER_BUDGET then
    error(failure, 0)
  end
  return not ok
end
