-- Turns the items of a reply into texts, since an instance reads one string much faster than a list. Names contain no
-- line breaks.

-- Joins the parts of each item by line breaks, from the reply's place `first` on. Returns the reply.
local function asTexts(reply, first)
  for i = first, #reply do
    reply[i] = table.concat(reply[i], '\n')
  end
  return reply
end
