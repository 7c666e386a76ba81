-- The other instances that hold calls for a ticket.
--@include waiting/callers

-- Returns the instances without one of them. Those that called long ago are dropped.
local function withoutInstance(instances, instance)
  local MAX_OTHERS = 2
  local others = {}
  eachInstance(instances, function(other)
    if other ~= instance and #others < MAX_OTHERS then
      others[#others + 1] = other
    end
  end)
  return table.concat(others, ' ')
end
