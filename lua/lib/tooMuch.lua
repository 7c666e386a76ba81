-- The refusal of a request that needs more work than one request may.
--@include charge
--@include flags
--@include work

-- Takes the place of the item that went over the budget, as messages name it. It is charged for: the work up to there
-- was done. A shared call is not, since each request in it is sent again by itself.
local function tooMuch(place)
  if not isShared then
    pay()
  end
  return { 'REFUSED', place .. TOO_MUCH_WORK }
end
