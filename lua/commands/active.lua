--[[
  One page of the tenant's slots in force, in no order (decisions, section 6). Every slot held from the first page's call
  to the last one's is in some page; a shrinking hash can show one twice, which the caller sorts out by fencing token.

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  cursor that the page before returned; '0' for the first
  ARGV[3]  epoch that the page before returned; '' for the first
  ARGV[4]  how many slots to look at, about

  Returns {'OK', cursor, epoch, {slot, record, slot, record, ...}}; cursor '0' means that this was the last page, as it is
  when a reset has ended everything that the walk began with. Or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include codec
--@include slots
if expire(100) then
  commit()
  return { 'AGAIN' }
end
commit()
if ARGV[3] ~= '' and ARGV[3] ~= epoch then
  return { 'OK', '0', epoch, {} }
end
local page = redis.call('HSCAN', slotsKey, ARGV[2], 'COUNT', ARGV[4])
return { 'OK', page[1], epoch, page[2] }
