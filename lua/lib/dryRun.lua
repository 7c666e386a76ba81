-- Begins the work of a request that may be a dry run (docs/specification.md#asking-without-doing). A dry run is carried
-- out on paper like any request, and its script ends without finish(): so nothing of it is written or sent. The
-- instance has charged it as reads. What was due before it is ended here, as look() does.
--@include expiry
--@include flags
if flags.isDry then
  if isDueStale or tenant.queue and tenant.queue.isChanged() then
    finish()
  end
  -- Keeps refuse() from sending an event.
  tenant.listenUntil = 0
end
