-- Ends a script whose search for a resource that fits has to go on in another one (match.lua).
--@include finish
--@include rollback

-- Undoes the request, and writes what the search has noted so far. The instance calls again.
local function again(before)
  rollback(before)
  if tenant.queue then
    tenant.queue.dropClaims(0)
    tenant.queue.suspend()
  end
  return finish({ 'AGAIN' })
end
