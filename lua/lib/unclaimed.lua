-- The release token of a reservation that was granted to a ticket and is not claimed yet. No caller can send it.
local UNCLAIMED = '!!!!!!!!!!!!!!!!!!!!!!'
