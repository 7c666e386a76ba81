-- Reserves plain names (docs/specification.md#reserve). Takes the keys and arguments of
-- lua/commands/reservations/reserve.lua, and returns its reply; or nil and what was read of the tenant, nil nothing:
-- then nothing has been changed, and the request goes the general way.
local events = require('plain/events')
local plain = require('plain/plain')
local record = require('plain/record')
local tenant = require('plain/tenant')

local ITEM_SIZE, FIRST = 8, 5
local HELD = 'ALREADY_HELD'

-- Returns true if an item has a lease of its own or none, does not wait, and asks for one slot without options.
local function arePlain(args)
  for at = FIRST, #args, ITEM_SIZE do
    -- 115 is the s of a session.
    if args[at + 5] ~= '' or args[at + 6] ~= '' or args[at + 7] ~= '' or string.byte(args[at + 2]) == 115 then
      return false
    end
  end
  return true
end

-- Returns the text of an item whose resource somebody else holds.
local function textOfHeld(name, held)
  return HELD .. '\n' .. HELD .. '\n' .. name .. '\n' .. held.owner .. '\n' .. held.reservedAt .. '\n' ..
    held.expiresAt .. '\n'
end

-- Returns the text of an item whose requester has the resource. The same token means a retry of the call that made the
-- reservation.
local function textOfHad(status, had)
  return status .. '\n' .. status .. '\n' .. string.format('%d', had.fence) .. '\n' .. had.expiresAt .. '\n' ..
    had.token .. '\n'
end

-- Carries out one item, the arguments from `at` on. Returns its text, and the reservation if this call made it.
local function reserveOne(args, at, nowMs, held)
  local name, requester, ttlMs, type = args[at], args[at + 1], args[at + 2], args[at + 3]
  if held and held.owner == requester then
    return textOfHad(held.token == args[at + 4] and 'ACQUIRED' or 'ALREADY_HAD', held)
  elseif held then
    if events.isHeard then
      events.reserveFailed(name, requester, type)
    end
    return textOfHeld(name, held)
  end
  local expiresAt = ttlMs == '' and 0 or nowMs + ttlMs
  local made = {
    owner = requester, fence = tenant.add(expiresAt), reservedAt = nowMs, expiresAt = expiresAt, token = args[at + 4],
    type = type, label = tenant.label,
  }
  if events.isHeard then
    events.reserved(name, requester, type, string.format('%d', made.fence), expiresAt)
  end
  return textOfHad('ACQUIRED', made), made
end

-- Writes the records and the due times of new reservations: name, reservation, ...
local function write(keys, made)
  local set, due = {}, {}
  for i = 1, #made, 2 do
    local name, reservation = made[i], made[i + 1]
    local packed = record.pack(reservation)
    set[i], set[i + 1] = name, packed
    tenant.note(#name + #packed)
    if reservation.expiresAt > 0 then
      due[#due + 1], due[#due + 2] = reservation.expiresAt, name
      tenant.note(#name)
    end
  end
  if set[1] then
    redis.call('HSET', keys[3], unpack(set))
  end
  if due[1] then
    redis.call('ZADD', keys[4], unpack(due))
  end
end

return function(keys, args)
  if args[4] ~= '' or not arePlain(args) then
    return nil
  end
  local call, found = plain.begin(keys, args, FIRST, ITEM_SIZE)
  if not call then
    return nil, found
  end
  local held, made, texts = {}, {}, {}
  for i, packed in ipairs(redis.call('HMGET', keys[3], unpack(call.names))) do
    local name = call.names[i]
    if packed and not held[name] then
      held[name] = record.unpack(packed)
      if not held[name] then
        return nil, found
      end
    end
    local text, reservation = reserveOne(args, FIRST + (i - 1) * ITEM_SIZE, call.nowMs, held[name])
    texts[i] = text
    if reservation then
      held[name] = reservation
      made[#made + 1], made[#made + 2] = name, reservation
    end
  end
  if tenant.hasNoRoom() then
    return nil, found
  end
  write(keys, made)
  return plain.finish(call, keys, args, texts)
end
