-- A definition to copy from the database: name, capacity (0: remove the definition), parent ('' none), blocks (each
-- followed by '\n'), isGroup (1 or 0), labels (each followed by '\n', or '\n' for none).
-- src/engine/definitions/codec.ts passes the same fields.
local function copiedItem(at)
  return {
    name = ARGV[at],
    capacity = ARGV[at + 1],
    parent = ARGV[at + 2],
    blocks = ARGV[at + 3],
    isGroup = ARGV[at + 4],
    labels = ARGV[at + 5],
  }, at + 6
end
