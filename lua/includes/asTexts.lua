-- Makes the items of a reply, from the first that is one, a text each, their parts a line each: an instance reads one string much faster than
-- a list. No name holds a line break.
local function asTexts(reply, first)
  for i = first, #reply do
    reply[i] = table.concat(reply[i], '\n')
  end
  return reply
end
