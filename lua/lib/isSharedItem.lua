--@rare
-- Returns true if an item (items/reserve.lua) asks for a SHARED hold.
local function isSharedItem(item)
  return item.options ~= nil and item.options.mode == 'SHARED'
end
