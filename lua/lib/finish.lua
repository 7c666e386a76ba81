-- Ends every script that changes reservations: the one place where its changes, those of expired reservations among
-- them, take effect.
--@include commit
--@include release

-- Commits all changes with the usage to charge (quota.lua; nil none), and returns the reply. `freed` (release.lua) then
-- holds the slots that became free in this script: hand them to a queue here, before the commit.
local function finish(reply, usage)
  commit(usage)
  return reply
end
