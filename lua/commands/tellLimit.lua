--[[
  Tells of a limit that was hit where no script carries out the request: of reads (decisions, section 7).

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  requestType; '' none
  ARGV[3]  limitType
  ARGV[4]  limit

  Returns {'OK'}; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
refuse(ARGV[2], ARGV[3], ARGV[4], 1, 1)
return { 'OK' }
