-- Spends the work for the event of an item, if anybody listens. Takes the details of its reservation, nil if there is
-- none.
--@include emit
--@include work
local function spendOnEvent(item, details)
  if listening then
    spend(2 + (#item.resource + #item.requester) / 35 + #(details or '') / 100)
  end
end
