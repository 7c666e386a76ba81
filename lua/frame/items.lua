-- Items of requests, which are the last arguments. Each kind has a function with its layout, which takes the place of
-- an item's first field among the arguments, and returns the item and the place after it. src/redis/layouts.ts and
-- src/engine/definitions/codec.ts pass the same fields. An item that may wait (docs/specification.md#waiting) has the
-- field `waiting`: what the queue takes (waiting/ask.lua), for itself, or for a transaction as a whole.
local call = require('frame/call')
local tenant = require('frame/tenant')
local itemForms = {}

-- Returns an array of the items from args[first] on. Takes the function of their kind.
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

-- An item to check. requester: '' for none.
function itemForms.checkItem(at)
  local args = call.args
  return { resource = args[at], requester = args[at + 1] }, at + 2
end

-- An item to cancel. resource: a name, or the text of a match, which has a '='.
function itemForms.cancelItem(at)
  local item, after = itemForms.checkItem(at)
  item.mayBeMatch = string.find(item.resource, '=', 1, true) ~= nil
  return item, after
end

-- A definition to copy from the database. capacity: 0 removes the definition; parent: '' none; blocks: each followed by
-- '\n'; isGroup: 1 or 0; labels: each followed by '\n', or '\n' for none; afterUse: ready
-- or dirty; attributes: a set of them as JSON; slotAttributes: such sets, each followed by '\n', or '\n' for none;
-- bookable: 1 or 0.
function itemForms.copiedItem(at)
  local args = call.args
  return {
    name = args[at], capacity = args[at + 1], parent = args[at + 2], blocks = args[at + 3], isGroup = args[at + 4],
    labels = args[at + 5], afterUse = args[at + 6], attributes = args[at + 7], slotAttributes = args[at + 8],
    bookable = args[at + 9],
  }, at + 10
end

-- An item to register. capacity: '' not given; blocks and treePath: its blockers, and the segments of the path, each
-- followed by '\n', '' none; group: 1 or 0, '' leaves what is there; labels: each followed by '\n', or '\n' for none,
-- '' leaves what is there; groups: 1 if missing ancestors are registered as groups, else 0; afterUse: ready or dirty,
-- '' leaves what is there; attributes, slotAttributes and bookable: as of a definition to copy, '' leaves what is
-- there.
function itemForms.registerItem(at)
  local args = call.args
  return {
    name = args[at], capacity = args[at + 1], blocks = args[at + 2], treePath = args[at + 3], group = args[at + 4],
    labels = args[at + 5], groups = args[at + 6], afterUse = args[at + 7],
    attributes = args[at + 8], slotAttributes = args[at + 9], bookable = args[at + 10],
  }, at + 11
end

-- An item to renew. token: release token (22 characters), '' if the caller's is malformed; ttlMs: lease, in ms, and
-- perhaps a blank and minTtlMs, how much of it would do.
function itemForms.renewItem(at)
  local args = call.args
  local item = { resource = args[at], requester = args[at + 1], token = args[at + 2], ttlMs = args[at + 3] }
  local ttlMs, minTtlMs = string.match(item.ttlMs, '^(%d+) ?(%d*)$')
  item.ttlMs, item.minTtlMs = tonumber(ttlMs), tonumber(minTtlMs) or tonumber(ttlMs)
  return item, at + 4
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

-- Returns the fields of an item to reserve from the lease on. Takes them joined.
local function termsOf(joined)
  if not string.find(joined, '\n', 1, true) then
    return joined, '', '', '', ''
  end
  return string.match(joined, '^([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n(.*)$')
end

-- An item to reserve. The fields from the lease on are passed as one, with line breaks between; of most items only the
-- lease, as all others are '': each argument costs Redis 1,300 instructions.
--   token    release token (22 characters)
--   lease    readLease() reads it: code uses ttlMs and sessionId
--   type     resource type, '' the default
--   wait     how it waits: waitMs, priority and claimMs with spaces between; '' if it does not
--   count    the number of slots, '' one
--   options  what few items have, as JSON, '' none: note, mode, condition, match and nth (reservations/match.lua), and
--            minTtl, how much of the lease would do, in ms (bookings/fits.lua). If the key has a prefix, that of an
--            item with a match has it, too (frame/admission.lua)
function itemForms.reserveItem(at)
  local args = call.args
  local lease, type, wait, count, options = termsOf(args[at + 3])
  local item = {
    resource = args[at], requester = args[at + 1], token = args[at + 2], lease = lease, type = type,
    wait = wait, count = count, options = options ~= '' and cjson.decode(options) or nil,
  }
  item.ttlMs, item.sessionId = readLease(lease)
  return item, at + 4
end

-- An item to book. start and end: s since 1970; id and token: of the booking, and the release token of its reservation
-- (22 characters each); type: resource type, '' the default; claimWithin: s, '' never; series: its id, '' none;
-- options: note and match as of an item to reserve, as JSON, '' none.
function itemForms.bookItem(at)
  local args = call.args
  local options = args[at + 9]
  return {
    resource = args[at], requester = args[at + 1], start = tonumber(args[at + 2]), ['end'] = tonumber(args[at + 3]),
    id = args[at + 4], token = args[at + 5], type = args[at + 6], claimWithin = tonumber(args[at + 7]),
    series = args[at + 8] ~= '' and args[at + 8] or nil, options = options ~= '' and cjson.decode(options) or {},
  }, at + 10
end

-- An item to release. token: as of an item to renew; few items have a line break after it, and then as JSON: condition,
-- the one that the slots get, with a reason, nil none; and slots, the names of those that get it, nil all.
function itemForms.unreserveItem(at)
  local args = call.args
  local item = { resource = args[at], requester = args[at + 1], token = args[at + 2] }
  local rest = string.find(item.token, '\n', 1, true)
  if rest then
    item.report = cjson.decode(string.sub(item.token, rest + 1))
    item.token = string.sub(item.token, 1, rest - 1)
  end
  return item, at + 3
end

-- A slot that is taken out of service again: sinceMs, '' not known; actor, '' the service; reason, '' none.
function itemForms.outItem(at)
  local args = call.args
  return { slot = args[at], sinceMs = args[at + 1], actor = args[at + 2], reason = args[at + 3] }, at + 4
end

-- An item that sets a condition: reason '' none.
function itemForms.conditionItem(at)
  local args = call.args
  return { resource = args[at], condition = args[at + 1], reason = args[at + 2] }, at + 3
end

-- An item of a transaction: RESERVE or UNRESERVE, then the fields of an item to reserve or to release.
function itemForms.transactionItem(at)
  local requestType = call.args[at]
  local readItem = requestType == 'RESERVE' and itemForms.reserveItem or itemForms.unreserveItem
  local item, after = readItem(at + 1)
  item.requestType = requestType
  return item, after
end

-- Returns true if an item asks for a SHARED hold.
function itemForms.isSharedItem(item)
  return item.options ~= nil and item.options.mode == 'SHARED'
end

-- Returns the condition that an item asks for; nil: ready.
function itemForms.conditionOf(item)
  return item.options and item.options.condition
end

-- Returns the number of slots that items ask for: of an item to release, 1.
function itemForms.slotsOf(items)
  local sum = 0
  for _, item in ipairs(items) do
    sum = sum + (item.count ~= '' and tonumber(item.count) or 1)
  end
  return sum
end

-- Returns what the queue takes for some items. Takes the method ('' a single item), and how it waits: waitMs, priority
-- and claimMs.
local function waitingFor(items, method, wait)
  local queue = tenant.openQueue()
  local waiting = {
    requester = items[1].requester, method = method, items = {}, call = queue.readCall(call.flags.poll),
    wait = queue.readWait(wait),
  }
  for i, item in ipairs(items) do
    item.waiting = waiting
    waiting.items[i] = {
      resource = item.resource, ttlMs = item.ttlMs, sessionId = item.sessionId, type = item.type, token = item.token,
      count = tonumber(item.count), options = item.options,
    }
  end
  return waiting
end

-- Prepares items that wait on their own, if the request may wait.
function itemForms.prepareEach(items)
  for _, item in ipairs(tenant.mayWait and items or {}) do
    if item.wait ~= '' then
      waitingFor({ item }, '', item.wait)
    end
  end
end

-- Prepares items that wait together, if the request may wait. Returns what the queue takes for them.
function itemForms.prepareAll(items, method, wait)
  return tenant.mayWait and waitingFor(items, method, wait) or nil
end

-- Returns the number of slots that items ask for, without those that have a ticket: these have been charged.
function itemForms.countSlots(items)
  if not tenant.mayWait then
    return itemForms.slotsOf(items)
  end
  local new, waiting, last = 0, {}, nil
  for _, item in ipairs(items) do
    if not item.waiting then
      new = new + itemForms.slotsOf({ item })
    elseif item.waiting ~= last then
      last = item.waiting
      waiting[#waiting + 1] = last
    end
  end
  return new + tenant.queue.countNew(waiting)
end

-- Returns the reply that refuses a request if an item waits that has neither a lease nor a session: a grant without an
-- end could fall to a caller that died unnoticed. Returns nil if none does.
function itemForms.whyEndless(items, request)
  for i, item in ipairs(items) do
    if item.waiting and not item.ttlMs and not item.sessionId then
      local place = (request.verb.place or '') .. '[' .. i - 1 .. ']'
      return { 'REFUSED', place .. '.ttlSeconds is required where waitSeconds is more than 0' }
    end
  end
end

return itemForms
