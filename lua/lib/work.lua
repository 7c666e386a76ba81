-- The work of one script, so that no request keeps Redis busy for more than a few milliseconds, whatever the tenant's
-- state. A unit is about a microsecond of a quiet core. All code that reads, walks or builds spends units. Scripts that
-- return pages end a page by `work`; requests of items have a budget (budget.lua).
local work, budget = 0, math.huge
local OVER_BUDGET = {}

-- Spends units. Raises OVER_BUDGET if that exceeds the budget; there is none unless isOverBudget() sets it.
local function spend(units)
  work = work + units
  if work > budget then
    error(OVER_BUDGET)
  end
end
