-- Holds a key with a prefix to definitions that nothing elsewhere gates: by changing or deleting others, it could
-- reserve what a holder elsewhere keeps from it (docs/specification.md#restricted-keys).
--@include blockers
--@include children

-- Takes a resource and the parent that it will have, nil if it is deleted. Returns why such a key may not do that; nil
-- if it may.
local function whyGated(name, parent)
  local one = definition(name)
  if not one then
    return nil
  end
  for _, gate in ipairs({ one.parent, unpack(blockersOf(name)) }) do
    if gate ~= '' and not tenant.mayChange(gate) then
      return name .. ' is gated by ' .. gate .. ', which does not start with "' .. tenant.prefix ..
        '": this key may not change or delete its definition.'
    end
  end
  if parent and parent ~= one.parent and #childrenOf(name, '', 1) > 0 then
    return name .. ' has resources below it: a key with a prefix may not move it.'
  end
end
