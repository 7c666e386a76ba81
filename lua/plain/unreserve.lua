-- Releases reservations of plain names by their tokens (docs/specification.md#release). Takes the keys and arguments
-- of lua/verbs/reservations/unreserve.lua, and returns its reply; or nil and what was read of the tenant, nil
-- nothing: then nothing has been changed, and the request goes the general way.
local answers = require('frame/answers')
local codec = require('slots/codec')
local history = require('history/ended')
local plain = require('plain/plain')
local reservationEvents = require('events/reservations')
local tenant = require('plain/tenant')

local ITEM_SIZE, FIRST = 3, 3

-- Returns the names of the items and their work.
local function readItems(args)
  local names, work, number = {}, 0, 0
  for at = FIRST, #args, ITEM_SIZE do
    number = number + 1
    names[number], work = args[at], work + plain.workOf(args[at])
  end
  return names, work
end

-- Returns the reply to items that release these records, and the names that have a lease (nil none); nil if a record is
-- not the item's requester's by its token.
local function releaseAll(args, names, records)
  local reply, due, isNamed, at = { 'OK', '' }, nil, {}, FIRST
  for i = 1, #names do
    local name, packed = names[i], records[i]
    if not packed or isNamed[name] then
      return nil
    end
    local owner, _, _, expiresAt, token, type = codec.unpackPlain(packed)
    if owner ~= args[at + 1] or token ~= args[at + 2] then
      return nil
    end
    isNamed[name] = true
    if expiresAt > 0 then
      due = due or {}
      due[#due + 1] = name
    end
    if plain.isHeard then
      reservationEvents.addReleased(tenant.label, name, owner, type, tenant.actor())
    end
    reply[i + 2], at = 'RELINQUISHED\n' .. name, at + ITEM_SIZE
  end
  return reply, due
end

-- Writes the history of reservations that ended, if the tenant keeps one. Takes the key of the stream, their names and
-- packed records, and the time in us and ms.
local function writePast(key, names, records, nowUs, nowMs)
  local kept, past = tenant.keptPast(), {}
  if kept > 0 then
    for i = 1, #names do
      past[2 * i - 1], past[2 * i] = 'R', history.valueOf(names[i], nowMs, '', records[i])
    end
    tenant.notePast(past)
    history.send(key, past, kept, nowUs)
  end
end

return function(keys, args)
  local names, work = readItems(args)
  if not names[1] then
    return nil
  end
  local nowMs, nowUs = plain.begin(keys, args, names, work)
  if not nowMs then
    return plain.giveUp()
  end
  local records = names[2] and redis.call('HMGET', keys[3], unpack(names)) or { redis.call('HGET', keys[3], names[1]) }
  local reply, due = releaseAll(args, names, records)
  if not reply then
    return plain.giveUp()
  end
  tenant.remove(#names)
  redis.call('HDEL', keys[3], unpack(names))
  if due then
    redis.call('ZREM', keys[4], unpack(due))
  end
  writePast(keys[14], names, records, nowUs, nowMs)
  return answers.remember(keys[15], plain.finish(keys, args, reply))
end
