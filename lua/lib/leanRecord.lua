-- Leaves out of a long record what the history does not need: the plan, the blockers, and the names of slots after the
-- first 100. A block: it takes `slot` and its record `packed`, and replaces that.
if #packed > 600 then
  local lean = unpackRecord(slot, packed)
  local parts = lean.details == '' and {} or cjson.decode(lean.details)
  local details = { x = parts.x, o = parts.o and { unpack(parts.o, 1, math.min(#parts.o, 100)) }, m = parts.m }
  lean.plan, lean.details = '', next(details) and cjson.encode(details) or ''
  packed = pack(slot, lean)
end
