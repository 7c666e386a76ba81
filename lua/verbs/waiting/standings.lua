--[[
  Returns where the requests of a requester stand that wait, or were granted and are not claimed yet, for the dashboard:
  the first 50.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  requester

  Returns {'OK', row, ...}. A row is a text with a line for each of: 1 if it was granted else 0, tickets ahead of it,
  what it waits for, since ms, until ms (when the grant or the wait ends), SHARED or '', resources (tabs between). Or
  a refusal (frame/admission.lua).
]]
local reading = require('frame/reading')
local tenant = require('frame/tenant')

return function(_, args)
  local refused = reading.look('read')
  if refused then
    return refused
  end
  return { 'OK', unpack(tenant.openQueue() and tenant.queue.standings(args[2]) or {}) }
end
