-- The waiting queue of the tenant (docs/specification.md#waiting). Its code is in the folder waiting. Most tenants have
-- no tickets, so scripts make its functions only when they need them: openQueue() (waiting/open.lua) sets `queue`.
--   queue  table of the queue's functions; nil until the queue is open
-- A reservation that was granted to a ticket has the release token UNCLAIMED until its caller is told about it. No
-- caller can send this token.
local UNCLAIMED = '!!!!!!!!!!!!!!!!!!!!!!'
local queue, openQueue
