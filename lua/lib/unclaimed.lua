-- A reservation that was granted to a ticket has this release token until its caller is told about it. No caller can
-- send it.
local UNCLAIMED = '!!!!!!!!!!!!!!!!!!!!!!'
