-- Spends the work of an item's event, if a stream is open. Takes the item, and the details of its reservation (nil
-- none).
--@include emit
--@include work
local function spendOnEvent(item, details)
  if listening then
    spend(2 + (#item.resource + #item.requester) / 35 + #(details or '') / 100)
  end
end
