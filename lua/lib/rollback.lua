-- Takes all changes of a request back, the fencing tokens and the freed slots included. Expired reservations, which
-- were ended before the request's own changes, stay ended.
--@include release
--@include undo

-- Notes the state before a request's changes, for rollback().
local function stateBefore()
  return { journal = #journal, freed = #freed, fence = tenant.fence, count = tenant.count }
end

local function rollback(before)
  undo(before.journal)
  tenant.fence = before.fence
  for i = #freed, before.freed + 1, -1 do
    freed[i] = nil
  end
end
