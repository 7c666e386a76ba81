-- Counts the work of one script, so that no request keeps Redis busy for more than a few milliseconds, in any state of
-- the tenant. A unit is about a microsecond on an idle core. All code that reads, walks or builds data spends units.
-- Scripts that return pages end a page when `work` is high enough; requests with items have a budget (frame/work.lua).
local flags = require('frame/call').flags
local quota = require('limits/quota')
local work = {}
local budget
local OVER_BUDGET = {}

-- Spends units. Raises OVER_BUDGET if that exceeds the budget. Only isOverBudget() sets a budget.
function work.spend(units)
  work.done = work.done + units
  if work.done > budget then
    error(OVER_BUDGET)
  end
end

-- The work that one request may take. A request that exceeds it is refused as a whole, before anything is written.
work.MAX_WORK = 8000

-- The message, which follows the place of the item that exceeded the budget.
work.TOO_MUCH_WORK = ' takes the request over the work that one request may cause: send fewer items at a time'

-- Runs a function with these arguments under the budget, or a part of it (nil: all). Returns true if the function
-- exceeded it. Then nothing may be committed.
function work.isOverBudget(run, part, ...)
  work.done, budget = 0, work.MAX_WORK * (part or 1)
  local ok, failure = pcall(run, ...)
  budget = math.huge
  if not ok and failure ~= OVER_BUDGET then
    error(failure, 0)
  end
  return not ok
end

-- Refuses a charged request that exceeds the work budget.

-- Takes the place of the item that exceeded the budget, for the message. The request is charged, since its work up to
-- there was done. A batch is not charged: the instance sends each of its requests again on its own. A dry run is
-- not charged either: it has cost reads.
function work.tooMuch(place)
  if not flags.sizes and not flags.isDry then
    quota.pay()
  end
  return { 'REFUSED', place .. work.TOO_MUCH_WORK }
end

function work.begin()
  work.done, budget = 0, math.huge
end

return work
