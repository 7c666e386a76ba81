-- The further slots of reservations of several slots, which count towards the cap.
--@include tenant

-- Corrects the number of further slots. Instances of the previous release release these slots without counting. Slots
-- that are held without being reservations are at least as many.
local function correctFurther()
  if tenant.furtherBefore > 0 then
    local most = redis.call('HLEN', slotsKey) - tenant.countBefore
    tenant.further = tenant.further - math.max(0, tenant.furtherBefore - most)
  end
end
