-- An item to register: name, capacity ('' not given), blocks and segments of the tree path (each followed by '\n'; ''
-- none), group (1 or 0; '' leaves what is there), labels (each followed by '\n', or '\n' for none; '' leaves what is
-- there), groups (1 if missing ancestors are registered as groups, else 0).
-- src/engine/definitions/codec.ts passes the same fields.
local function registerItem(at)
  return {
    name = ARGV[at],
    capacity = ARGV[at + 1],
    blocks = ARGV[at + 2],
    treePath = ARGV[at + 3],
    group = ARGV[at + 4],
    labels = ARGV[at + 5],
    groups = ARGV[at + 6],
  }, at + 7
end
