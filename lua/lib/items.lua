-- Reads the items of a request, which are the last arguments. Each file of lua/lib/items has the layout of one kind of
-- item.

-- Returns an array of the items from ARGV[first] on. readItem(index) returns the item at an index of ARGV, and the
-- index after it.
local function readItems(first, readItem)
  local items, at = {}, first
  while at <= #ARGV do
    items[#items + 1], at = readItem(at)
  end
  return items
end
