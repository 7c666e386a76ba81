-- Reads in one command the definitions that names may refer to.
--@include names
--@include readDefinitions

-- Reads the definitions that names may refer to, all at once. Takes an array.
local function readMeanings(names)
  if tenant.definitions == 0 then
    return
  end
  local wanted = {}
  for _, name in ipairs(names) do
    spend(0.5 + #name / 200)
    wanted[#wanted + 1] = name
    wanted[#wanted + 1] = (slotIndex(name))
    wanted[#wanted + 1] = lastSegment(name) or nil
  end
  readDefinitions(wanted)
end
