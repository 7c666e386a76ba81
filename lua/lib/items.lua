-- Reads the items of a request. ARGV ends with them, one after the other; a file of lua/lib/items lays out one kind.

-- Returns the items from ARGV[first] on, an array. Takes a function that reads the item at an index of ARGV and returns
-- it with the index after it.
local function readItems(first, readItem)
  local items, at = {}, first
  while at <= #ARGV do
    items[#items + 1], at = readItem(at)
  end
  return items
end
