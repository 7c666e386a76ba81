--[[
  Says whether a resource has a free slot (decisions, section 5).

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  resource

  Returns {'OK', 1 or 0}; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include codec
--@include slots
--@include definitions
--@include available
if expire(100) then
  commit()
  return { 'AGAIN' }
end
commit()
return { 'OK', isAvailable(ARGV[2]) and 1 or 0 }
