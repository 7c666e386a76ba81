--@rare
-- Rolls back all changes of a request, including fencing tokens and freed slots. Expired reservations stay ended: they
-- were ended before the request's own changes.
--@include release
--@include undo

-- Takes what stateBefore() returned.
local function rollback(before)
  undo(before.journal)
  tenant.fence = before.fence
  for i = #freed, before.freed + 1, -1 do
    freed[i] = nil
  end
end
