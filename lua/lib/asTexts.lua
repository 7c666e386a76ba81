-- Turns the items of a reply into texts, since an instance reads one string much faster than a list. Names contain no
-- line breaks.
--@include endOf
--@include slots

-- Joins the parts of each item by line breaks, from the reply's place `first` on. A refused item that lacked one slot
-- tells who holds that (docs/specification.md#why-a-reservation-fails): the slot; requester, '' if it is a blocker;
-- since ms and expiry ms, 0 none; note, '' none. Returns the reply.
local function asTexts(reply, first)
  for i = first, #reply do
    local item = reply[i]
    local text, record = table.concat(item, '\n'), item.holder
    if record then
      local now = records[item.held]
      if now and now.claimedAs and now.claimedAs <= item.claims and now.fence == record.fence then
        -- An item before has claimed it (waiting/claim.lua).
        record = now
      end
      local isBlocker = string.sub(record.owner, 1, 7) == 'system:'
      text = table.concat({
        text, item.held, isBlocker and '' or record.owner, record.token and record.reservedAt or 0,
        record.token and endOf(record) or 0, record.note or '',
      }, '\n')
    end
    reply[i] = text
  end
  return reply
end
