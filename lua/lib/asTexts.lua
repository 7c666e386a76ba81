-- Turns the items of a reply into texts, since an instance reads one string much faster than a list. Names contain no
-- line breaks.
--@include heldBy

-- Joins the parts of each item by line breaks, from the reply's place `first` on. The holder of what a refused item
-- lacked follows them. Returns the reply.
local function asTexts(reply, first)
  for i = first, #reply do
    local item = reply[i]
    local text = table.concat(item, '\n')
    reply[i] = item.holder and text .. heldBy(item) or text
  end
  return reply
end
