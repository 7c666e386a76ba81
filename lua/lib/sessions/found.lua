-- Finds the session that a caller renews or ends.

-- Takes its id and its token, and the only requester that the caller may act for, '' any. Returns false if there is no
-- such session, or the token is wrong.
local function sessionFound(id, token, subject)
  local sessions = tenant.sessions
  local session = sessions and sessions.at(id)
  if not session or session.token ~= token then
    return false
  end
  return sessions.of(id, subject == '' and session.requester or subject)
end
