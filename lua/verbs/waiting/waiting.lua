--[[
  Returns one page of the tickets that wait, in the order of the queue. A page ends after a number of tickets.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  number of reads to charge (limits/quota.lua)
  ARGV[3]  cursor returned with the previous page; '' for the first page
  ARGV[4]  number of resets returned with the previous page; '' for the first page
  ARGV[5]  number of tickets to look at
  ARGV[6]  only tickets of this requester; '' any
  ARGV[7]  only tickets whose request names this resource; '' any

  Returns {'OK', quota (limits/quota.lua), cursor, number of resets, number of tickets, row, ...}. Cursor '' means
  that this was the last page. A row is a text with a line for each of: ticket, requester, resources (tabs between),
  method ('' a single item), priority, since ms, until ms, what it waits for, 1 if it is attended else 0, label of the
  key, note ('' none), who is in the way (whyNot() in reservations/why.lua). If the tenant was reset since the first
  page, the listing ends. Or a refusal (frame/admission.lua).
]]
local quota = require('limits/quota')
local reading = require('frame/reading')
local tenant = require('frame/tenant')

return function(keys, args)
  local refused = reading.read('read')
  if refused then
    return refused
  end
  local resets = redis.call('HGET', keys.tenant, 'resets') or '0'
  if not tenant.queueText or args[4] ~= '' and args[4] ~= resets then
    return { 'OK', quota.readsQuota, '', resets, 0 }
  end
  local rows, cursor = tenant.openQueue().page(args[3], tonumber(args[5]), args[6], args[7])
  return { 'OK', quota.readsQuota, cursor, resets, tenant.queueState.tickets, unpack(rows) }
end
