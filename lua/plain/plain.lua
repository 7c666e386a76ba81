-- Decides if a request can go the plain way. It can in two cases: each of its items names a resource of one slot,
-- which is not registered, or has no parent, blockers and labels; or its only item names a pool or one of its slots
-- (plain/slots.lua). If tickets wait in the tenant, its only item names a resource of one slot, and they have nothing
-- to do with that. Two more go this way: a request that may wait for a plain name, and takes it or joins its line
-- (plain/join.lua), and a release that hands it over to the first one there (plain/handOver.lua). Other requests go the
-- general way (lua/verbs), with the same replies. begin() assigns all state of this module. Field: isHeard, true if
-- anybody may read events: a stream is open, or there is an outbox.
local events = require('events/events')
local history = require('history/ended')
local pools = require('slots/pools')
local readTime = require('frame/now')
local registry = require('definitions/definitions')
local tenant = require('plain/tenant')
local plain = {}

-- The work of a request that goes the general way, in units of lua/frame/work.lua; that of an item.
local MAX_WORK, ITEM_WORK = 8000, 9

local call, byte, find, format, match = redis.call, string.byte, string.find, string.format, string.match
local floor = math.floor
-- nowUs: nil before anything was read. definedName, definition: the definition that was read last, nil none.
-- isBatch: true if there may be several requests.
local nowUs, definedName, definition, isBatch

-- Begins a plain request: takes keys and arguments, and the number of its items. Returns the time in ms and us; or nil
-- if the request must go the general way. Nothing has been changed then.
function plain.begin(keys, args, number)
  nowUs, definedName = nil, nil
  local credential, flags = args[1], args[2]
  -- Flags (lua/frame/call.lua) may tell of a wait, a hand-over or a batch, but of no retry, dry run or Idempotency-Key.
  -- Other credentials than API keys have another length than a SHA-256.
  local hasQueue = flags ~= '' and (flags == 'h' or flags == 'w')
  isBatch = flags ~= '' and not hasQueue
  if isBatch and not find(flags, '^s[%d,]+$') or #credential ~= 64 then
    return nil
  end
  nowUs = readTime(keys.tenant)
  local nowMs = (nowUs - nowUs % 1000) / 1000
  local isPlain, isHeard = tenant.begin(keys.tenant, credential, nowUs, nowMs, number, hasQueue)
  if not isPlain then
    return nil
  end
  plain.isHeard = isHeard
  if isHeard then
    local listenUntil, box = tenant.readers()
    if listenUntil > 0 and listenUntil <= nowMs then
      -- The last stream's lease has lapsed: the general way must note what the streams miss.
      return nil
    end
    events.beginPlain(listenUntil > 0, box)
  end
  return nowMs, nowUs
end

-- Reads the fields of an item to reserve from the lease on (frame/items.lua). Returns when a lease that begins now
-- ends, in ms, 0 never; that as digits; and the resource type, '' the default. Returns nil if the item has a session or
-- a field that few items have: then the request must go the general way.
function plain.termsOf(joined, nowMs)
  if joined == '' then
    return 0, '0', joined
  end
  local lease, type = joined, ''
  if find(joined, '\n', 1, true) then
    lease, type = match(joined, '^([^\n]*)\n([^\n]*)\n\n\n$')
  end
  -- 115 is the s of a session.
  if not lease or byte(lease) == 115 then
    return nil
  elseif lease == '' then
    return 0, '0', type
  end
  local expiresAt = nowMs + lease
  return expiresAt, format('%d', expiresAt), type
end

-- Returns the names of pools that could get some of these names as slots, nil none.
local function poolsOf(names)
  local found
  for i = 1, #names do
    local pool = pools.split(names[i])
    if pool then
      found = found or {}
      found[#found + 1] = pool
    end
  end
  return found
end

-- Reads the names of several items: the arguments from `first` on, `step` for an item. Returns them, the names of pools
-- that could get some as slots, nil none, the number of all these, and the length of the names together. Returns nil if
-- they are more work than one request may cause, or one has the form of a path.
function plain.readNames(args, first, step)
  local names, number, ofPools = {}, 0, nil
  for at = first, #args, step do
    number = number + 1
    names[number] = args[at]
  end
  -- One search in all names costs less than one in each.
  local all = table.concat(names)
  if find(all, '>', 1, true) then
    return nil
  elseif find(all, '_', 1, true) then
    ofPools = poolsOf(names)
  end
  number = number + (ofPools and #ofPools or 0)
  if ITEM_WORK * number + #all / 40 < MAX_WORK then
    return names, ofPools, number, #all
  end
end

-- Returns the stored definition of a name, false if it is not registered. The general way gets what was read.
function plain.definitionOf(key, name)
  local packed = call('HGET', key, name)
  if packed then
    definedName, definition = name, packed
  end
  return packed
end

-- Returns true if one of several names is registered as more than one slot without labels.
function plain.areAnyDefined(key, names)
  local packed, isAnyClosing = call('HMGET', key, unpack(names)), tenant.isAnyClosing()
  for i = 1, #names do
    if packed[i] then
      local _, isSingle = registry.capacityAlone(packed[i])
      if not isSingle or isAnyClosing then
        return true
      end
    end
  end
  return false
end

-- Keeps a reservation that has ended in the history, if the tenant has one. Takes its slot, its record, and the number
-- of reservations that there are less now: 0 if another one follows.
function plain.keepPast(keys, slot, packed, less, nowMs)
  local kept = tenant.remove(less)
  if kept > 0 then
    local value = history.valueOf(slot, history.timeText(nowMs), '', packed)
    tenant.notePast(1, #value)
    history.send(keys.history, kept, nowUs, 'R', value)
  end
end

-- Returns what a verb returns if the general way must go on: nil, and what was read of the tenant, nil nothing.
function plain.giveUp()
  if not nowUs then
    return nil
  end
  local found = tenant.found()
  found.definitions, found.nowUs = definedName and { [definedName] = definition }, nowUs
  return nil, found
end

-- Writes the tenant and publishes the events. Takes the texts of the items, joined; the number of names, and their
-- length together. The text of the only item may come in two parts, or in four that each end with a line break. Returns
-- the reply, joined too, since a list costs Redis 8,000 instructions more (parseReply() in src/redis/reply.ts).
function plain.finish(keys, texts, number, length, second, third, last)
  local isTold = plain.isHeard and events.keep(keys.outbox, tenant.maxOutbox(), floor(nowUs / 1000))
  local work = ITEM_WORK * number + length / 40
  local quota, others, message, publisher = tenant.commit(isTold, work - work % 1)
  if isTold then
    events.send(keys.tenant, message, publisher, floor(nowUs / 1000))
  end
  local kept = plain.isHeard and events.isKept and ' o\r' or '\r'
  if third then
    return 'OK\r' .. quota .. others .. kept .. texts .. '\n' .. second .. '\n' .. third .. '\n' .. last .. '\n'
  end
  -- None of the requests of a batch is refused (lua/frame/batch.lua).
  return 'OK\r' .. quota .. others .. kept .. texts .. (second or '') .. (isBatch and '\r' or '')
end

return plain
