-- Admits callers: says who sends a request, and what they may do.
--
-- A call whose request is not carried out changes nothing but what was due, and returns a refusal:
--   {'NO_TENANT'}, {'NO_KEY'}, {'SUSPENDED'}, {'FORBIDDEN', message}  the caller is not admitted (admit())
--   {'LIMIT', ...}         a limit of the tier (refuse() in limits/quota.lua)
--   {'REFUSED', message}   what it asks for is wrong, or too much work
--   {'AGAIN'}              more is due than one call ends: the instance calls again
--   {'DUE_INDEX', ms, swept}   the due index first (limits/cap.lua)
--   {'UNKNOWN'}            an earlier try ran, and its reply was not kept (frame/answers.lua)
--   {'MISMATCH'}, {'NOT_KEPT'}, {'RUNNING'}  a repeat with an Idempotency-Key (frame/answers.lua)
local call = require('frame/call')
local keys = require('frame/keys')
local tenant = require('frame/tenant')
local admission = {}

-- Returns a text of the sign-in session's value (src/engine/tenant/signIns.ts); nil if it has none by this name. A
-- quote inside a JSON text follows a backslash, so these marks can only be those around a text.
function admission.ofPerson(name)
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

-- Names who sends the request (docs/specification.md#who-did-it). Takes a requester of the request: a derived token
-- acts for its subject alone, so that is its requester. Returns nil for the service itself.
function admission.actorName(requester)
  local kind = string.match(call.args[1], '^(%a+):')
  if kind == 'session' then
    return admission.ofPerson('actor')
  elseif kind == 'token' then
    return 'user:' .. requester
  elseif call.args[1] == '' then
    return nil
  end
  local as = kind == 'management' and 'token' or 'key'
  return tenant.keyLabel == '' and as or as .. ':' .. tenant.keyLabel
end

-- Returns true if the caller is a person, and this is the requester that they reserve with on the dashboard
-- (requesterOf() in src/engine/tenant/signIns.ts).
function admission.isOwn(requester)
  return tenant.rights and requester == admission.ofPerson('requester')
end

-- Returns true if the caller is a person who may end and extend what this requester has without its release token
-- (docs/specification.md#release): with the right `force` whatever it is, else only what they reserved on the
-- dashboard, and what their own e-mail address has.
function admission.mayForce(requester)
  return tenant.rights and
    (string.find(' ' .. tenant.rights .. ' ', ' force ', 1, true) ~= nil or admission.ofPerson('email') == requester or
      admission.isOwn(requester))
end

-- Holds a key or token with a prefix to the names that start with it (docs/specification.md#restricted-keys). For its
-- requests, the table of the tenant has two of these functions as fields:
--   mayChange(name)      returns true if it may change a resource
--   mayChangeAll(items)  returns true if it may change all that the items of a request name

-- A path means the resource that its last name is, so that must start with the prefix too.
local function mayChange(name)
  local prefix = tenant.prefix
  return string.sub(name, 1, #prefix) == prefix and string.sub(string.match(name, '[^>]*$'), 1, #prefix) == prefix
end

-- Returns the field of an item that names what the key may not change; nil if there is none. A match picks only names
-- with the prefix of the key that asked. An item of a cancel may be the text of one.
local function foreignField(item)
  if item.options and item.options.match then
    return item.options.prefix ~= tenant.prefix and 'match' or nil
  elseif item.mayBeMatch then
    return nil
  end
  for _, field in ipairs({ 'resource', 'name', 'blocks', 'treePath' }) do
    for name in string.gmatch(item[field] or '', '[^\n]+') do
      if not mayChange(name) then
        return field
      end
    end
  end
end

local function mayChangeAll(items)
  for _, item in ipairs(items) do
    if foreignField(item) then
      return false
    end
  end
  return true
end

-- Returns true if the caller has a derived token.
local function isToken()
  return string.sub(call.args[1], 1, 6) == 'token:'
end

-- Returns what a restricted credential is called in messages.
local function restricted()
  return isToken() and 'token' or 'key'
end

-- Returns why a request is refused, nil if it is not. Notes the prefix in items with a match. Takes the items, nil if
-- the request changes all names, and the prefix of their places in messages, nil for none.
local function whyForeign(items, place)
  if not items then
    return 'This changes all names, and this ' .. restricted() .. ' may only change those that start with "' ..
      tenant.prefix .. '".'
  end
  for i, item in ipairs(items) do
    if item.options and item.options.match then
      item.options.prefix = tenant.prefix
    end
    local field = foreignField(item)
    if field then
      return (place or '') .. '[' .. i - 1 .. '].' .. field .. ' must start with "' .. tenant.prefix ..
        '": this ' .. restricted() .. ' may change no other names.'
    end
  end
end

-- Returns true if the rights of a caller, nil for all, have a right.
local function hasRight(rights, right)
  return not rights or string.find(' ' .. rights .. ' ', ' ' .. right .. ' ', 1, true) ~= nil
end

-- Returns why a request is refused for the condition that an item asks for (docs/specification.md#condition); nil if it
-- is not. Takes the rights of the caller, nil for all.
local function whyNoCondition(items, rights)
  for _, item in ipairs(items or {}) do
    local condition = item.options and item.options.condition
    if condition and isToken() then
      return 'A derived token cannot reserve what is not ready.'
    elseif condition == 'out' and not hasRight(rights, 'define') then
      return 'To reserve what is out of service needs the right "define", which this key, token or role does not have.'
    end
  end
end

-- Returns true if the caller may change the definition of a resource. A derived token never may.
function admission.mayDefine(name)
  local rights = tenant.grant and string.match(tenant.grant, '^[^\n]*') or tenant.rights
  return not isToken() and hasRight(rights, 'define') and
    ((tenant.prefix or '') == '' or mayChange(name))
end

-- Returns true if the grant of the key has ended.
local function isGrantOver(endsAt)
  if endsAt == 0 then
    return false
  end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000) >= endsAt
end

-- Returns whether the credential is valid, and its rights: nil for all that a key without restrictions can have.
local function verify()
  if tenant.grant then
    local rights, endsAt, prefix = string.match(tenant.grant, '^([^\n]*)\n(%d+)\n(.*)$')
    tenant.endsAt, tenant.prefix = tonumber(endsAt), prefix
    return not isGrantOver(tenant.endsAt), rights
  elseif tenant.hasKey then
    return true, nil
  end
  tenant.session = keys.credential ~= keys.tenant and redis.call('GET', keys.credential)
  if not tenant.session then
    return false
  elseif isToken() then
    -- As tokenText() in src/domain/tenants.ts writes it.
    tenant.tokenRights, tenant.prefix = string.match(tenant.session, '^([^\n]*)\n%d+\n(.*)$')
    return tenant.tokenRights ~= nil, tenant.tokenRights
  end
  -- A sign-in session begins with its rights.
  tenant.rights = string.match(tenant.session, '^{"rights":"([^"]*)"')
  return tenant.rights ~= nil, tenant.rights
end

-- The rights of which a key with a prefix has only a part.
local CHANGES = { reserve = true, define = true, reset = true }

-- Authenticates the caller. ARGV[1] is the credential, one of
--   the SHA-256 of an API key, hexadecimal; management:<SHA-256> of a management token
--   token:<SHA-256> of a derived token, or session:<SHA-256> of a session: each is a Redis key that expires, passed as
--     the verb's credential key; for other credentials that key is the tenant's hash
--   '' the service itself
-- Every verb makes this check, so an old key stops working before the reply to its rotation is sent, and a changed
-- role holds from the moment that the change is answered.
--
-- Takes the right that the request needs (src/domain/rights.ts), nil for none. If that is a right to change something,
-- takes the items whose names it changes, nil for all names of the tenant, and the prefix of their places in messages
-- (nil or 'requests'). Returns nil; or the reply that refuses the caller: {'NO_TENANT'}, {'NO_KEY'}, {'SUSPENDED'} or
-- {'FORBIDDEN', message}.
function admission.admit(right, items, place)
  if call.args[1] == '' then
    return nil
  elseif not tenant.tier then
    return { 'NO_TENANT' }
  end
  local isValid, rights = verify()
  if not isValid then
    return { 'NO_KEY' }
  elseif tenant.isSuspended then
    return { 'SUSPENDED' }
  elseif right and not hasRight(rights, right) then
    return { 'FORBIDDEN', 'This needs the right "' .. right .. '", which this key, token or role does not have.' }
  end
  local why = whyNoCondition(items, rights)
  if not why and (tenant.prefix or '') ~= '' and CHANGES[right] then
    tenant.mayChange, tenant.mayChangeAll = mayChange, mayChangeAll
    why = whyForeign(items, place)
  end
  return why and { 'FORBIDDEN', why } or nil
end

return admission
