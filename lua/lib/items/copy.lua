-- A definition to copy from the database: name, capacity (0: remove the definition), parent ('' none), blocks (each
-- followed by '\n'). src/engine/definitions/codec.ts passes the same fields.
local function copiedItem(at)
  return {
    name = ARGV[at],
    capacity = ARGV[at + 1],
    parent = ARGV[at + 2],
    blocks = ARGV[at + 3],
  }, at + 4
end
