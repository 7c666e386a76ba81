-- The digest of a request, by which the requests of one requester are told apart.

-- Returns the digest of a request or ticket: the same for the same requester, method and items. It has 56 bits, in
-- bytes below 128 (lines.lua): with 32 bits, every hundredth requester with 10,000 tickets would have two of the same
-- digest.
local function digestOf(request)
  if not request.digest then
    local parts, bytes = { request.requester, request.method }, {}
    for _, item in ipairs(request.items) do
      parts[#parts + 1] = itemKey(item)
      if item.options and item.options.match then
        parts[#parts + 1] = item.options.match .. '\n' .. (item.options.nth or 1)
      end
    end
    local hex = redis.sha1hex(table.concat(parts, '\n'))
    for i = 1, 8 do
      bytes[i] = tonumber(string.sub(hex, 2 * i - 1, 2 * i), 16) % 128
    end
    request.digest = string.char(unpack(bytes))
  end
  return request.digest
end
