-- Reserves any resource that fits (docs/specification.md#any-resource-that-fits). An item with a match has in its
-- options (items/reserve.lua)
--   match   the labels that are wanted: lines '<key>=<value>', sorted; of lines with the same key, any
--   nth     which of the items with this match and requester it is in its request; nil the first
--   anchor  in a ticket: a resource that fits; text and count: as in the item
-- and as its resource a text that describes the match, until one is picked.
--
-- Few calls have such an item, so the functions are made for these only.
--@include readDefinitions
--@include held
--@include owners
--@include release
if tenant.labelled then
  tenant.openMatch = function()
--@include matchSearch
  end
end
