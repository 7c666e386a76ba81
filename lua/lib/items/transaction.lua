-- An item of a transaction: RESERVE or UNRESERVE, then the fields of an item to reserve or to release.
--@include items/reserve
--@include items/unreserve
local function transactionItem(at)
  local requestType, item, after = ARGV[at], nil, nil
  if requestType == 'RESERVE' then
    item, after = reserveItem(at + 1)
  else
    item, after = unreserveItem(at + 1)
  end
  item.requestType = requestType
  return item, after
end
