-- Refuses a charged request that exceeds the work budget.
--@include budget
--@include flags
--@include pay

-- Takes the place of the item that exceeded the budget, for the message. The request is charged, since its work up to
-- there was done. A shared call is not charged: the instance sends each of its requests again on its own. A dry run is
-- not charged either: it has cost reads.
local function tooMuch(place)
  if not flags.sizes and not flags.isDry then
    pay()
  end
  return { 'REFUSED', place .. TOO_MUCH_WORK }
end
