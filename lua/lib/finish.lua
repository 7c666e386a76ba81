-- Ends every script that changes reservations. All its changes take effect here, including ended expired reservations.
--@include commit
--@include release

-- Commits all changes and the usage to charge (quota.lua; nil none), and returns the reply. `freed` (release.lua) lists
-- the slots that became free in this script: a waiting queue would be served here, before the commit.
local function finish(reply, usage)
  commit(usage)
  return reply
end
