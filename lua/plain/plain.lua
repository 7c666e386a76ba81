-- Whether a request can go the plain way: all its items name resources that are not registered, nor slots or paths, and
-- that nobody waits for. Whatever else is needed goes the general way (lua/commands), which gives the same replies.
local events = require('plain/events')
local tenant = require('plain/tenant')
local readTime = require('frame/now')
local plain = {}

-- The most items that go the plain way, and their work in units of lua/lib/work.lua.
local MAX_ITEMS, MAX_WORK = 500, 8000

-- True for the flags (lua/lib/flags.lua) of a request and of a batch that go the plain way: no retry, no dry run, no
-- Idempotency-Key.
local function areFlagsPlain(flags)
  return flags == '' or string.find(flags, '^s[%d,]+$') ~= nil
end

-- Reads the names of the items, `size` arguments each, from args[first] on. Returns nil if one cannot be plain; else
-- the names, and whether one has the form of a path.
local function readNames(args, first, size)
  local names, hasPath = {}, false
  if #args < first or #args - first >= MAX_ITEMS * size then
    return nil
  end
  for at = first, #args, size do
    local name = args[at]
    local last = string.byte(name, -1)
    -- It may be a slot of a pool, or be marked in one (lua/lib/bitmaps.lua).
    if last and last >= 48 and last <= 57 and string.find(name, '_%d+$') then
      return nil
    end
    hasPath = hasPath or string.find(name, '>', 1, true) ~= nil
    names[#names + 1] = name
  end
  return names, hasPath
end

-- Returns the work of items with these names, in units of lua/lib/work.lua.
local function workOf(names)
  local work = 0
  for _, name in ipairs(names) do
    work = work + 9 + #name / 40
  end
  return work
end

-- Returns true if one of the names is registered. Gives what it has read to the general way (lua/lib/definitions.lua).
local function areAnyDefined(key, names, found)
  local packed, isAny = redis.call('HMGET', key, unpack(names)), false
  found.definitions = {}
  for i, name in ipairs(names) do
    found.definitions[name], isAny = packed[i], isAny or packed[i]
  end
  return isAny
end

-- Begins a plain request. Takes keys and arguments, the place of the first item and the number of arguments of an item.
-- Returns {names, nowMs, work}; or nil and what was read of the tenant (nil: nothing),
-- if the request must go the general way. Nothing has been changed then.
function plain.begin(keys, args, first, size)
  -- Other credentials have a kind before a colon.
  if not areFlagsPlain(args[2]) or args[1] == '' or string.find(args[1], ':', 1, true) then
    return nil
  end
  local names, hasPath = readNames(args, first, size)
  local work = names and workOf(names) or MAX_WORK
  if work >= MAX_WORK then
    return nil
  end
  local found, isPlain = tenant.begin(keys[1], args[1])
  if not isPlain then
    return nil, found
  end
  if found[8] and found[8] ~= '0' and (hasPath or areAnyDefined(keys[6], names, found)) then
    return nil, found
  end
  local nowUs = readTime(keys[1])
  local nowMs = math.floor(nowUs / 1000)
  found.nowUs = nowUs
  if not tenant.use(found, nowUs) or not events.begin(found, nowMs) or not tenant.charge(#names) then
    return nil, found
  end
  return { names = names, nowMs = nowMs, work = work }, found
end

-- Writes the tenant and publishes the events. Returns the reply to a call with these texts of items.
function plain.finish(call, keys, args, texts)
  local fields = {}
  events.fields(fields)
  tenant.commit(fields)
  events.publish(keys[1])
  if args[2] ~= '' then
    -- None of the requests of the batch is refused (lua/lib/shares.lua).
    texts[#texts + 1] = ''
  end
  return { 'OK', tenant.quota(call.work), unpack(texts) }
end
return plain
