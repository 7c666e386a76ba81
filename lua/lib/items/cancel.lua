-- An item to cancel: resource, requester. src/redis/items.ts passes the same fields.
local function cancelItem(at)
  return {
    resource = ARGV[at],
    requester = ARGV[at + 1],
  }, at + 2
end
