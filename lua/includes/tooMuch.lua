-- The refusal of a request that needs more work than one request may.
--@include charge
--@include flags

-- Takes the place of the item that went over the budget, as messages name it. It is charged for: the work up to there was done. A shared call
-- is not, since each request in it is sent again by itself.
local function tooMuch(place)
  if not isShared then
    pay()
  end
  return { 'REFUSED', place .. ' takes the request over the work that one request may cause: send fewer items at a time' }
end
