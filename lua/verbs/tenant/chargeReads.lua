--[[
  Charges reads that no other script charges.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  number of reads
  ARGV[3]  the right that the credential must have; '' none
  ARGV[4]  1 if the reads are charged even if the quota is used up, else 0

  Returns {'OK', quota (limits/quota.lua)}. Or a refusal (frame/admission.lua).
]]
local admission = require('frame/admission')
local quota = require('limits/quota')

return function(_, args)
  local refused = admission.admit(args[3] ~= '' and args[3], {})
  if refused then
    return refused
  end
  local misfit = quota.chargeReads(tonumber(args[2]), args[4] == '1')
  if misfit then
    return quota.refuse(unpack(misfit))
  end
  return { 'OK', quota.readsQuota }
end
