-- The instances that hold calls for a ticket. It is usually one; if a requester sends the same request several times at
-- once, there may be more. ticket.instance lists them, separated by spaces, latest call first. wake() informs them all.
local callers = {}

-- Calls visit(instance) for each instance of a text of words.
function callers.eachInstance(instances, visit)
  for instance in string.gmatch(instances, '%w+') do
    visit(instance)
  end
end

-- The other instances that hold calls for a ticket.

-- Returns the instances without one of them. Those that called long ago are dropped.
function callers.withoutInstance(instances, instance)
  local MAX_OTHERS = 2
  local others = {}
  callers.eachInstance(instances, function(other)
    if other ~= instance and #others < MAX_OTHERS then
      others[#others + 1] = other
    end
  end)
  return table.concat(others, ' ')
end

return callers
