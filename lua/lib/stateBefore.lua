-- Notes the state before the changes of a request.
--@include release

-- Returns the state before a request's changes, for rollback().
local function stateBefore()
  return { journal = #journal, freed = #freed, fence = tenant.fence, count = tenant.count + tenant.further }
end
