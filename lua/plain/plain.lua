-- Whether a request can go the plain way: all its items name resources that are not registered, nor slots or paths, and
-- that nobody waits for. Whatever else is needed goes the general way (lua/verbs), which gives the same replies.
-- begin() assigns all state of this module.
local events = require('events/events')
local tenant = require('plain/tenant')
local readTime = require('frame/now')
local plain = {}

-- The work of a request that goes the general way, in units of lua/frame/work.lua.
local MAX_WORK = 8000

local byte, find, floor = string.byte, string.find, math.floor
-- nowUs: nil before anything was read. defined: what was read of definitions.
local nowUs, defined, work

-- Returns the work of an item with this name; MAX_WORK if the name may be a slot of a pool, or be marked in one
-- (lua/slots/pools.lua).
function plain.workOf(name)
  local last = byte(name, -1)
  if last and last >= 48 and last <= 57 and find(name, '_%d+$') then
    return MAX_WORK
  end
  return 9 + #name / 40
end

-- Returns true if one of the names is registered, or has the form of a path. Then the general way gets what was read
-- (lua/definitions/definitions.lua).
local function areAnyDefined(key, names)
  if not names[2] then
    local name = names[1]
    local packed = redis.call('HGET', key, name)
    if packed then
      defined = { [name] = packed }
    end
    return packed or find(name, '>', 1, true)
  end
  local packed, isAny = redis.call('HMGET', key, unpack(names)), false
  for i = 1, #names do
    isAny = isAny or packed[i] or find(names[i], '>', 1, true)
  end
  if isAny then
    defined = {}
    for i = 1, #names do
      defined[names[i]] = packed[i]
    end
  end
  return isAny
end

-- Begins a plain request: takes keys and arguments, the names of its items and their work. Returns the time in ms
-- and us; or nil if the request must go the general way. Nothing has been changed then.
function plain.begin(keys, args, names, workOfNames)
  nowUs, defined, work = nil, nil, workOfNames
  local credential, flags, nowMs = args[1], args[2]
  -- Flags (lua/frame/flags.lua) may tell of a batch, but of no retry, dry run or Idempotency-Key. Other credentials
  -- than keys have a kind before a colon.
  if
    work >= MAX_WORK or flags ~= '' and not find(flags, '^s[%d,]+$') or credential == '' or
    find(credential, ':', 1, true)
  then
    return nil
  end
  nowUs = readTime(keys[1])
  nowMs = floor(nowUs / 1000)
  if
    not tenant.begin(keys[1], credential, nowUs, nowMs, #names) or
    tenant.definitions > 0 and areAnyDefined(keys[6], names)
  then
    return nil
  end
  plain.isHeard = tenant.listenUntil > 0
  if plain.isHeard then
    events.begin()
    if tenant.listenUntil <= nowMs then
      -- The last stream's lease has lapsed: the general way must note what the streams miss.
      return nil
    end
  end
  return nowMs, nowUs
end

-- Returns what a verb returns if the general way must go on: nil, and what was read of the tenant, nil nothing.
function plain.giveUp()
  if not nowUs then
    return nil
  end
  local found = tenant.found()
  found.definitions, found.nowUs = defined, nowUs
  return nil, found
end

-- Writes the tenant and publishes the events. Takes the reply, from its third place on the texts of the items; returns
-- it with the rest.
function plain.finish(keys, args, reply)
  local isHeard = plain.isHeard and events.listed[1]
  local number, publisher = tenant.commit(isHeard)
  if isHeard then
    events.send(keys[1], number, publisher, floor(nowUs / 1000))
  end
  if args[2] ~= '' then
    -- None of the requests of the batch is refused (lua/frame/shares.lua).
    reply[#reply + 1] = ''
  end
  reply[2] = tenant.quota(work)
  return reply
end
return plain
