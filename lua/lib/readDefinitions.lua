-- Reads many definitions at once.
--@include definitions

-- Reads definitions that were not read yet. Takes an array of names.
local function readDefinitions(names)
  if tenant.definitions == 0 then
    return
  end
  local missing = {}
  for _, name in ipairs(names) do
    if defined[name] == nil and readBefore[name] == nil then
      defined[name] = false
      missing[#missing + 1] = name
    end
  end
  for from = 1, #missing, 1000 do
    local last = math.min(from + 999, #missing)
    local count = 0
    spend(0.5 * (last - from + 1))
    local found = redis.call('HMGET', definitionsKey, unpack(missing, from, last))
    for i, packed in ipairs(found) do
      if packed then
        count = count + 1
        defined[missing[from + i - 1]] = unpackDefinition(packed)
      end
    end
    spend(1.5 * count)
  end
end
