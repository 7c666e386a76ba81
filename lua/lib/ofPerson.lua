-- Reads who a sign-in session belongs to.
--@include tenant

-- Returns a text of the sign-in session's value (src/engine/tenant/signIns.ts); nil if it has none by this name. A
-- quote inside a JSON text follows a backslash, so these marks can only be those around a text.
local function ofPerson(name)
  -- A request of 500 items asks 1,500 times.
  tenant.person = tenant.person or {}
  local known = tenant.person[name]
  if known == nil then
    local text = string.match(tenant.session, '"' .. name .. '":"(.-)","')
    known = text and string.gsub(text, '\\(.)', '%1') or false
    tenant.person[name] = known
  end
  return known or nil
end
