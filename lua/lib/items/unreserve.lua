-- An item to release: resource, requester, release token (22 characters; '' if the caller's token is malformed).
-- src/redis/items.ts passes the same fields.
local function unreserveItem(at)
  return {
    resource = ARGV[at],
    requester = ARGV[at + 1],
    token = ARGV[at + 2],
  }, at + 3
end
