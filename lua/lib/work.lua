-- Counts the work of one script, so that no request keeps Redis busy for more than a few milliseconds, in any state of
-- the tenant. A unit is about a microsecond on an idle core. All code that reads, walks or builds data spends units.
-- Scripts that return pages end a page when `work` is high enough; requests with items have a budget (budget.lua).
local work, budget = 0, math.huge
local OVER_BUDGET = {}

-- Spends units. Raises OVER_BUDGET if that exceeds the budget. Only isOverBudget() sets a budget.
local function spend(units)
  work = work + units
  if work > budget then
    error(OVER_BUDGET)
  end
end
