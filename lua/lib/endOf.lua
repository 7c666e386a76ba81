-- Returns when a reservation ends, in ms, 0 never: one of a session ends with it.
local function endOf(reservation)
  local session = reservation.session and tenant.sessions and tenant.sessions.at(reservation.session)
  return session and session.expiresAt or reservation.expiresAt
end
