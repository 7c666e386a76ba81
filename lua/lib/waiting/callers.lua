-- The instances that hold calls for a ticket: usually one, more if its requester sends the same request several times
-- at once. ticket.instance has them as words, the one that called last first. All are told what becomes of the ticket.

-- Calls visit(instance) for each instance of a text of words.
local function eachInstance(instances, visit)
  for instance in string.gmatch(instances, '%w+') do
    visit(instance)
  end
end
