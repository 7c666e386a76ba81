-- Reads who a sign-in session belongs to.
--@include tenant

-- Returns a text of the sign-in session's value (src/engine/tenant/signIns.ts); nil if it has none by this name. A
-- quote inside a JSON text follows a backslash, so these marks can only be those around a text.
local function ofPerson(name)
  local text = string.match(tenant.session, '"' .. name .. '":"(.-)","')
  return text and (string.gsub(text, '\\(.)', '%1'))
end
