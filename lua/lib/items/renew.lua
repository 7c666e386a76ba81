-- An item to renew: resource, requester, release token (22 characters; '' if the caller's token is malformed), lease in
-- ms. src/redis/items.ts passes the same fields.
local function renewItem(at)
  return {
    resource = ARGV[at],
    requester = ARGV[at + 1],
    token = ARGV[at + 2],
    ttlMs = ARGV[at + 3],
  }, at + 4
end
