-- The instances that hold calls for a ticket: usually one, more if its requester sends the same request several times
-- at once. ticket.instance has them as words, the one that called last first. All are told what becomes of the ticket.
--@include clock

-- Calls visit(instance) for each instance of a text of words.
local function eachInstance(instances, visit)
  for instance in string.gmatch(instances, '%w+') do
    visit(instance)
  end
end

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
