-- An item to check: resource, requester ('' none). src/redis/items.ts passes the same fields.
local function checkItem(at)
  return {
    resource = ARGV[at],
    requester = ARGV[at + 1],
  }, at + 2
end
