-- Ends reservations (docs/specification.md#release): frees the slots that no other reservation holds. Remembers for a
-- day who took reservations away from their holders (docs/specification.md#taken-away), so that these can be told:
--   taken    hash: release token -> ms and actor, with a line break between
--   takenAt  sorted set: release token -> ms
-- Field: freed, the slots that became free in this call, in order. tenant.takenAway: the reservations that this request
-- released without their tokens, nil none. A rollback may have brought some of them back.
local admission = require('frame/admission')
local afterUse = require('reservations/afterUse')
local bytes = require('limits/bytes')
local clock = require('frame/clock')
local codec = require('slots/codec')
local history = require('history/ended')
local keys = require('frame/keys')
local ownership = require('reservations/owners')
local records = require('bookings/records')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local work = require('frame/work')
local releasing = {}
local KEEP_MS, MAX_KEPT, MAX_DROPPED = 86400000, 10000, 1000

-- Writes a line to Redis's log about an inconsistency that was found and repaired.
function releasing.report(what)
  redis.log(redis.LOG_WARNING, 'Holdfast mended tenant ' .. tenant.base .. ' ' .. what)
end

-- Removes one reference to a slot, which a reservation of the requester had. Removing the last one frees it.
local function releaseHold(slot, requester)
  local record = slotMap.recordAt(slot)
  if not record then
    releasing.report('slot ' .. slot .. ': a plan named it, and it was free')
  elseif record.refCount > 1 then
    local holders = record.holders
    if holders then
      local from, to = string.find('\n' .. holders, '\n' .. requester .. '\n', 1, true)
      holders = from and string.sub(holders, 1, from - 1) .. string.sub(holders, to) or holders
    end
    slotMap.setRecord(slot, codec.copyWith(record, { refCount = record.refCount - 1, holders = holders }))
  else
    slotMap.setRecord(slot, false)
    releasing.freed[#releasing.freed + 1] = slot
  end
end

-- Ends a reservation and releases the slots of its recorded plan. Adds the slots that become free to `freed`, its own
-- first. Takes what its release says of the condition of its slots (frame/items.lua), nil nothing, and who ends it, nil
-- the service. Returns the condition of its slots, nil if they are ready.
function releasing.release(reservation, report, actor)
  local slot = reservation.slot
  if reservation.booking then
    records.noteEnded(reservation.booking)
  end
  if shared.isShare(slot) then
    slotMap.setRecord(slot, false)
  elseif reservation.refCount > 1 then
    -- Plans of other reservations hold the slot too, so it stays held, without a reservation of its own.
    slotMap.setRecord(slot, {
      owner = reservation.owner, refCount = reservation.refCount - 1, pool = reservation.pool,
      byName = reservation.byName,
    })
  else
    releaseHold(slot, reservation.owner)
  end
  if reservation.plan ~= '' then
    local others = {}
    for other in string.gmatch(reservation.plan, '[^\n]+') do
      others[#others + 1] = other
    end
    slotMap.readSlots(others)
    for _, other in ipairs(others) do
      releaseHold(other, reservation.owner)
    end
  end
  if reservation.token ~= codec.UNCLAIMED then
    return afterUse.follow(reservation, report, actor)
  end
end

-- Writes them, if there are any. Call it when all changes are written.
function releasing.keepTaken()
  if not tenant.takenAway then
    return
  end
  local now = string.format('%.0f', clock.nowMs())
  local set, due = {}, {}
  for _, reservation in ipairs(tenant.takenAway) do
    local record = slotMap.recordAt(reservation.slot)
    if not record or record.token ~= reservation.token then
      set[#set + 1] = reservation.token
      set[#set + 1] = now .. '\n' .. admission.actorName(reservation.owner)
      due[#due + 1] = now
      due[#due + 1] = reservation.token
    end
  end
  if #set == 0 then
    return
  end
  bytes.callWith('HSET', keys.taken, set)
  bytes.callWith('ZADD', keys.takenAt, due)
  local old = redis.call('ZCOUNT', keys.takenAt, '-inf', clock.nowMs() - KEEP_MS)
  local surplus = math.min(math.max(old, redis.call('ZCARD', keys.takenAt) - MAX_KEPT), MAX_DROPPED)
  local dropped = {}
  for i, one in ipairs(surplus > 0 and redis.call('ZPOPMIN', keys.takenAt, surplus) or {}) do
    -- Each token is followed by its score.
    dropped[#dropped + 1] = i % 2 == 1 and one or nil
  end
  bytes.callWith('HDEL', keys.taken, dropped)
  redis.call('PEXPIRE', keys.taken, KEEP_MS)
  redis.call('PEXPIRE', keys.takenAt, KEEP_MS)
end

-- Adds, to each reply that says that an item's requester has no reservation, how it lost one: 'TAKEN', ms and actor if
-- somebody released the reservation with the item's token without showing that, else 'RESET', ms and actor if there was
-- a reset. Takes the items, and the reply with the first item's at `first`. Most requests look nothing up.
function releasing.tellTaken(items, reply, first)
  local lacking, tokens = {}, {}
  for i, item in ipairs(items) do
    local one = reply[first + i - 1]
    if (one[1] == 'NOT_RESERVED' or one[1] == 'DOESNT_OWN_RESERVATION') and item.token ~= '' then
      lacking[#lacking + 1], tokens[#tokens + 1] = one, item.token
    end
  end
  if #lacking == 0 then
    return
  end
  local taken = redis.call('HMGET', keys.taken, unpack(tokens))
  local reset
  for i, one in ipairs(lacking) do
    if not taken[i] and reset == nil then
      reset = redis.call('HGET', keys.tenant, 'resetBy')
    end
    local ms, actor = string.match(taken[i] or reset or '', '^(%d+)\n(.*)$')
    if ms and clock.nowMs() - ms < KEEP_MS then
      one[2], one[3], one[4] = taken[i] and 'TAKEN' or 'RESET', ms, actor
    end
  end
end

-- Releases the reservation of an item (frame/items.lua). Returns a reply, one of
--   {'RELINQUISHED', slot, ...}   the slots that became free, the reservation's own first; then '\\1' and the condition
--                                 of its slots, if that is not ready; then '' if it was taken away
--   {'NOT_RESERVED'}, {'DOESNT_OWN_RESERVATION'}
--   {'INVALID_RELEASE_TOKEN'}     the requester has the reservation, but the token does not match
-- and the reservation if this call ended it.
function releasing.unreserveOne(item)
  local reservation, isHeld = ownership.reservationOf(item.resource, item.requester)
  if not reservation then
    return { isHeld and 'DOESNT_OWN_RESERVATION' or 'NOT_RESERVED' }
  elseif reservation.token ~= item.token then
    if not admission.mayForce(reservation.owner) then
      return { 'INVALID_RELEASE_TOKEN' }
    end
  end
  -- Nobody else has the token of what a person reserved on the dashboard.
  local isTaken = reservation.token ~= item.token and not admission.isOwn(reservation.owner)
  if isTaken then
    work.spend(4)
    tenant.takenAway = tenant.takenAway or {}
    table.insert(tenant.takenAway, reservation)
    if reservation.owner ~= admission.ofPerson('email') then
      history.howEnded = history.howEnded or {}
      history.howEnded[reservation.fence] = { 'T', admission.actorName(reservation.owner) }
    end
  end
  local before = #releasing.freed
  local condition = releasing.release(reservation, item.report, admission.actorName(reservation.owner))
  local reply = { 'RELINQUISHED', unpack(releasing.freed, before + 1) }
  if condition then
    reply[#reply + 1] = '\1' .. condition
  end
  if isTaken then
    reply[#reply + 1] = ''
  end
  return reply, reservation
end

function releasing.begin()
  releasing.freed = {}
end

return releasing
