--[[
  Charges reads that no other script charges.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  readsFree
  KEYS[4]  readsStarter
  KEYS[5]  readsPro
  KEYS[6]  readsEnterprise

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  number of reads
  ARGV[3]  the right that the credential must have; '' none
  ARGV[4]  1 if the reads are charged even if the quota is used up, else 0

  Returns {'OK', quota (reads.lua)}; or the reply of refuse() in refuse.lua; or {'NO_KEY'}, {'SUSPENDED'}, {'FORBIDDEN',
  message}, {'NO_TENANT'}.
]]
--@include admit
--@include reads
local refused = admit(ARGV[3] ~= '' and ARGV[3], {})
if refused then
  return refused
end
local misfit = chargeReads(tonumber(ARGV[2]), ARGV[4] == '1')
if misfit then
--@include refuse
  return refuse(unpack(misfit))
end
return { 'OK', readsQuota }
