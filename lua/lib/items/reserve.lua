-- An item to reserve: resource, requester, lease in ms ('' if it never expires), resource type ('' the default),
-- release token (22 characters). src/redis/items.ts passes the same fields.
local function reserveItem(at)
  return {
    resource = ARGV[at],
    requester = ARGV[at + 1],
    ttlMs = ARGV[at + 2],
    type = ARGV[at + 3],
    token = ARGV[at + 4],
  }, at + 5
end
