-- An item to register: name, capacity, blocks and segments of the tree path (each followed by '\n'; '' none).
-- src/engine/definitions/codec.ts passes the same fields.
local function registerItem(at)
  return {
    name = ARGV[at],
    capacity = ARGV[at + 1],
    blocks = ARGV[at + 2],
    treePath = ARGV[at + 3],
  }, at + 4
end
