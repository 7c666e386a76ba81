--[[
  Returns one page of the tickets that wait, in the order of the queue. A page ends after a number of tickets.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  tickets
  KEYS[8]  lines
  KEYS[9]  waits
  KEYS[10]  sessions
  KEYS[11]  sessionHolds
  KEYS[12]  sessionsDue
  KEYS[13]  index
  KEYS[14]  history

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  cursor returned with the previous page; '' for the first page
  ARGV[3]  number of resets returned with the previous page; '' for the first page
  ARGV[4]  number of tickets to look at
  ARGV[5]  only tickets of this requester; '' any
  ARGV[6]  only tickets whose request names this resource; '' any

  Returns {'OK', cursor, number of resets, number of tickets, row, ...}. Cursor '' means that this was the last page. A
  row is a text with a line for each of: ticket, requester, resources (tabs between), method ('' a single item),
  priority, since ms, until ms, what it waits for, 1 if it is attended else 0, label of the key, note ('' none). If the
  tenant was reset since the first page, the listing ends. Or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include look
--@include waiting/open
--@part waiting/page
local refused = look('read')
if refused then
  return refused
end
local resets = redis.call('HGET', tenantKey, 'resets') or '0'
if not tenant.queueText or ARGV[3] ~= '' and ARGV[3] ~= resets then
  return { 'OK', '', resets, 0 }
end
if not tenant.queue then
  tenant.openQueue()
end
local rows, cursor = tenant.queue.page(ARGV[2], tonumber(ARGV[4]), ARGV[5], ARGV[6])
return { 'OK', cursor, resets, tenant.queueState.tickets, unpack(rows) }
