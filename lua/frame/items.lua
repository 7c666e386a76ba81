-- Reads the items of a request, which are the last arguments. Each kind of item has a function with its layout.
local call = require('frame/call')
local tenant = require('frame/tenant')
local itemForms = {}

-- Returns an array of the items from args[first] on. readItem(index) returns the item at an index of the arguments, and
-- the index after it.
function itemForms.readItems(first, readItem)
  local items, at = {}, first
  while at <= #call.args do
    items[#items + 1], at = readItem(at)
  end
  return items
end

-- Returns the lines of a text, an array. Lists of names are passed and stored as one text.
function itemForms.splitLines(text)
  local found = {}
  for line in string.gmatch(text, '[^\n]+') do
    found[#found + 1] = line
  end
  return found
end

-- An item to cancel: resource, requester. src/redis/layouts.ts passes the same fields.
function itemForms.cancelItem(at)
  return {
    resource = call.args[at],
    requester = call.args[at + 1],
  }, at + 2
end

-- An item to check: resource, requester ('' none). src/redis/layouts.ts passes the same fields.
function itemForms.checkItem(at)
  return {
    resource = call.args[at],
    requester = call.args[at + 1],
  }, at + 2
end

-- A definition to copy from the database: name, capacity (0: remove the definition), parent ('' none), blocks (each
-- followed by '\n'), isGroup (1 or 0), labels (each followed by '\n', or '\n' for none).
-- src/engine/definitions/codec.ts passes the same fields.
function itemForms.copiedItem(at)
  return {
    name = call.args[at],
    capacity = call.args[at + 1],
    parent = call.args[at + 2],
    blocks = call.args[at + 3],
    isGroup = call.args[at + 4],
    labels = call.args[at + 5],
  }, at + 6
end

-- An item to register: name, capacity ('' not given), blocks and segments of the tree path (each followed by '\n'; ''
-- none), group (1 or 0; '' leaves what is there), labels (each followed by '\n', or '\n' for none; '' leaves what is
-- there), groups (1 if missing ancestors are registered as groups, else 0).
-- src/engine/definitions/codec.ts passes the same fields.
function itemForms.registerItem(at)
  return {
    name = call.args[at],
    capacity = call.args[at + 1],
    blocks = call.args[at + 2],
    treePath = call.args[at + 3],
    group = call.args[at + 4],
    labels = call.args[at + 5],
    groups = call.args[at + 6],
  }, at + 7
end

-- An item to renew: resource, requester, release token (22 characters; '' if the caller's token is malformed), lease in
-- ms. src/redis/layouts.ts passes the same fields.
function itemForms.renewItem(at)
  return {
    resource = call.args[at],
    requester = call.args[at + 1],
    token = call.args[at + 2],
    ttlMs = tonumber(call.args[at + 3]),
  }, at + 4
end

-- Reads how long a reservation lasts: ms; 's' and the id of a session, for as long as that; or '' for the tenant's
-- default. Returns ms, nil if it lasts until its release; or nil and the id of the session.
local function readLease(text)
  if text == '' then
    return tenant.defaultTtlMs
  elseif string.byte(text) == 115 then
    return nil, string.sub(text, 2)
  end
  return tonumber(text)
end

-- An item to reserve: resource, requester, lease (readLease), resource type ('' the default), release token (22
-- characters), how it waits: waitMs, priority and claimMs with spaces between ('' if it does not), the number of slots
-- ('' one), and options that few items have, as JSON ('' none): note, mode, match and nth (reservations/match.lua).
-- src/redis/layouts.ts passes the same fields. Of `lease`, code uses what is read of it: ttlMs or sessionId.
function itemForms.reserveItem(at)
  local item = {
    resource = call.args[at],
    requester = call.args[at + 1],
    lease = call.args[at + 2],
    type = call.args[at + 3],
    token = call.args[at + 4],
    wait = call.args[at + 5],
    count = call.args[at + 6],
    options = call.args[at + 7] ~= '' and cjson.decode(call.args[at + 7]) or nil,
  }
  item.ttlMs, item.sessionId = readLease(item.lease)
  return item, at + 8
end

-- An item to release: resource, requester, release token (22 characters; '' if the caller's token is malformed).
-- src/redis/layouts.ts passes the same fields.
function itemForms.unreserveItem(at)
  return {
    resource = call.args[at],
    requester = call.args[at + 1],
    token = call.args[at + 2],
  }, at + 3
end

-- An item of a transaction: RESERVE or UNRESERVE, then the fields of an item to reserve or to release.
function itemForms.transactionItem(at)
  local requestType, item, after = call.args[at]
  if requestType == 'RESERVE' then
    item, after = itemForms.reserveItem(at + 1)
  else
    item, after = itemForms.unreserveItem(at + 1)
  end
  item.requestType = requestType
  return item, after
end

-- Returns true if an item (frame/items.lua) asks for a SHARED hold.
function itemForms.isSharedItem(item)
  return item.options ~= nil and item.options.mode == 'SHARED'
end

-- Counts the slots that items ask for.

-- Returns the number of slots that items ask for: of an item to release, 1.
function itemForms.slotsOf(items)
  local sum = 0
  for _, item in ipairs(items) do
    sum = sum + (item.count ~= '' and tonumber(item.count) or 1)
  end
  return sum
end

return itemForms
