-- The value of a pool in the hash `pools` (slots/pools.lua), packed: how many of its slots are held, and the number
-- below which none is free and ready. A long value also has how many of the held slots are out of service, and how many
-- are dirty; and the numbers below which none is free and dirty, and none free and out of service. Values are long of
-- pools whose slots are dirty after use, and of those with held slots that are not ready.
local values = {}
local SHORT, MORE = '>I4I4', '>I4I4I4I4'
-- The place where that begins which only a long value has.
local MORE_AT = 9
local min = math.min

-- Returns how many slots are held, and the number below which none is free. Takes false for an empty pool.
function values.unpack(packed)
  if packed then
    return struct.unpack(SHORT, packed)
  end
  return 0, 0
end

function values.pack(held, from)
  return struct.pack(SHORT, held, from)
end

-- Returns true if a value is long. Takes false for an empty pool.
function values.isLong(packed)
  return packed and #packed >= MORE_AT
end

-- Returns how many of the held slots are out of service, how many are dirty, and the numbers below which none is free
-- and dirty, and free and out of service. Takes a long value.
function values.unpackMore(packed)
  return struct.unpack(MORE, packed, MORE_AT)
end

-- Returns the value of a pool, a table (slots/pools.lua).
function values.packPool(pool)
  local value = values.pack(pool.held, pool.from)
  if pool.isLong or pool.heldOut > 0 or pool.heldDirty > 0 then
    return value .. struct.pack(MORE, pool.heldOut, pool.heldDirty, pool.fromDirty, pool.fromOut)
  end
  return value
end

-- Returns how many slots are held and ready.
function values.heldReady(packed, held)
  if packed and #packed >= MORE_AT then
    local out, dirty = values.unpackMore(packed)
    return held - out - dirty
  end
  return held
end

-- Returns the value once one more slot is held, which is ready. Takes how many were, and the number below which none is
-- free then.
function values.packOneMore(packed, held, from)
  local value = values.pack(held + 1, from)
  return packed and #packed >= MORE_AT and value .. string.sub(packed, MORE_AT) or value
end

-- Returns the value once one less slot is held, which was ready; '' if none is. Takes its number.
function values.packOneLess(packed, slotNumber)
  local held, from = values.unpack(packed)
  if held < 2 then
    return ''
  end
  local value = values.pack(held - 1, from < slotNumber and from or slotNumber)
  if #packed < MORE_AT then
    return value
  end
  local out, dirty, fromDirty, fromOut = values.unpackMore(packed)
  return value .. struct.pack(MORE, out, dirty, min(fromDirty, slotNumber), min(fromOut, slotNumber))
end

return values
