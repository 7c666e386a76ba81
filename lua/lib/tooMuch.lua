-- Refuses a charged request that exceeds the budget of work.
--@include budget
--@include flags
--@include pay

-- Takes the place of the item that exceeded the budget, as messages name it. The request is charged, since the work up
-- to there was done. A shared call is not: the instance sends each of its requests on its own.
local function tooMuch(place)
  if not flags.isShared then
    pay()
  end
  return { 'REFUSED', place .. TOO_MUCH_WORK }
end
