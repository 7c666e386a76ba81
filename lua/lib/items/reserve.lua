-- An item to reserve: resource, requester, lease in ms ('' for the tenant's default, none if it has none; 's' and a
-- session's id if it lasts as long as that session), resource type ('' the default), release token (22 characters), how
-- it waits: waitMs, priority and claimMs with spaces between ('' if it does not), the number of slots ('' one), and
-- options that few items have, as JSON ('' none): note, mode, match and nth (match.lua). src/redis/items.ts passes the
-- same fields.
--@include terms
local function reserveItem(at)
  return {
    resource = ARGV[at],
    requester = ARGV[at + 1],
    ttlMs = ARGV[at + 2] ~= '' and ARGV[at + 2] or tenant.defaultTtlMs or '',
    type = ARGV[at + 3],
    token = ARGV[at + 4],
    wait = ARGV[at + 5],
    count = ARGV[at + 6],
    options = ARGV[at + 7] ~= '' and cjson.decode(ARGV[at + 7]) or nil,
  }, at + 8
end
