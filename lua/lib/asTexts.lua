-- Makes each item of a reply one text, its parts a line each: an instance reads one string much faster than a list. No
-- name holds a line break. Takes the reply and the place of the first item.
local function asTexts(reply, first)
  for i = first, #reply do
    reply[i] = table.concat(reply[i], '\n')
  end
  return reply
end
