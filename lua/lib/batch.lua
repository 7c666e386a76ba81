-- Runs the items of a request one by one, under the work budget.
--@include budget
--@include isSharedItem
--@include meanings
--@include shared

-- Reads the definitions and slots that all items name, in few commands, then calls carryOut(item) for each item, in
-- order. Takes the prefix of an item's place in messages (nil or 'requests') and a share of the budget. Returns nil; or
-- the place of the item that exceeded the budget, for the message. Then nothing may be committed.
local function eachItem(items, carryOut, prefix, share)
  local place = 0
  local isOver = isOverBudget(function()
    local names = {}
    for i, item in ipairs(items) do
      names[i] = item.resource
    end
    readMeanings(names)
    for _, item in ipairs(items) do
      if item.options and isSharedItem(item) then
        names[#names + 1] = shareOf(item.resource, item.requester)
      end
    end
    readSlots(names)
    for i, item in ipairs(items) do
      place = i - 1
      carryOut(item)
    end
  end, share)
  return isOver and (prefix or '') .. '[' .. place .. '].resource' or nil
end
