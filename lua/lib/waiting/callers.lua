-- The instances that hold calls for a ticket. It is usually one; if a requester sends the same request several times at
-- once, there may be more. ticket.instance lists them, separated by spaces, latest call first. wake() informs them all.

-- Calls visit(instance) for each instance of a text of words.
local function eachInstance(instances, visit)
  for instance in string.gmatch(instances, '%w+') do
    visit(instance)
  end
end
