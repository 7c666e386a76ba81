-- Reserves plain names, or one slot of a pool (docs/specification.md#reserve). Takes the keys and arguments of
-- lua/verbs/reservations.lua, and returns its reply; or nil and what was read of the tenant, nil nothing:
-- then nothing has been changed, and the request goes the general way.
local codec = require('slots/codec')
local events = require('events/events')
local join = require('plain/join')
local plain = require('plain/plain')
local pools = require('slots/pools')
local queueState = require('plain/queueState')
local reservationEvents = require('events/reservations')
local slots = require('plain/slots')
local tenant = require('plain/tenant')

-- The places of the first item among the arguments, and of the last field of the only item.
local ITEM_SIZE, FIRST, LAST_OF_ONE = 4, 3, 6
local ACQUIRED, HAD, HELD = 'ACQUIRED', 'ALREADY_HAD', 'ALREADY_HELD'
local MADE, ALREADY_HELD = ACQUIRED .. '\n' .. ACQUIRED, HELD .. '\n' .. HELD
local call, concat, format, match, pack, PLAIN = redis.call, table.concat, string.format, string.match, struct.pack,
  codec.PLAIN
local holderOf = codec.holderOf

-- Of the item that was read last: when its reservation ends in ms, 0 never, and as digits; its type; and once that is
-- made, its fencing token.
local expiresAt, digits, type, fence

-- The text of an item has four parts, with a line break after each. Those of the only item of a request are joined
-- with the rest of the reply, in one step: Lua looks at every byte of every text that it makes.

-- Returns the parts of an item that has made a reservation. Takes its fencing token as digits.
local function partsOfMade(name, requester, token, number)
  if plain.isHeard and events.isWanted('RESERVED', requester) then
    reservationEvents.addMade(tenant.label, name, requester, type, number, expiresAt)
  end
  return MADE, number, digits, token
end

-- Returns the parts of an item whose resource is held. Takes its record. Returns nil if that is not of the plain form.
local function partsOfHeld(name, requester, token, packed)
  local owner, reservedAt, heldUntil, held, at = holderOf(packed)
  if owner == requester then
    local heldToken = codec.tokenAt(packed, at)
    -- The same token means a retry of the call that made the reservation.
    local status = heldToken == token and ACQUIRED or HAD
    return status, status, format('%d\n%d', held, heldUntil), heldToken
  elseif not owner then
    return nil
  end
  if plain.isHeard and events.isWanted('RESERVE_FAILED', requester) then
    reservationEvents.addFailed(tenant.label, name, requester, type, HELD)
  end
  return ALREADY_HELD, name, owner,
    heldUntil == 0 and format('%d\n0', reservedAt) or format('%d\n%d', reservedAt, heldUntil)
end

-- Carries out the only item of a request, a plain name; `pool` and `slotNumber` are what it means if a pool could get
-- it as a slot. Returns its parts; nil if it must go the general way.
local function reserveName(keys, name, requester, token, terms, pool, slotNumber, nowMs)
  expiresAt, digits, type = plain.termsOf(terms, nowMs)
  if not expiresAt or queueState.due and tenant.firstMember(keys, name) then
    return nil
  end
  -- To look first makes a refusal a tenth cheaper than HSETNX, and a success 3 % dearer.
  local held = call('HGET', keys.slots, name)
  if held then
    return partsOfHeld(name, requester, token, held)
  end
  fence = tenant.add(expiresAt)
  if not fence then
    return nil
  elseif pool then
    slots.mark(keys, pool, slotNumber)
  end
  local packed = pack(PLAIN, 2, requester, fence, nowMs, expiresAt, token, type, tenant.label)
  call('HSET', keys.slots, name, packed)
  if expiresAt > 0 then
    call('ZADD', keys.due, digits, name)
  end
  if pool then
    slots.writeHeld(keys)
  end
  tenant.note(name, packed, expiresAt)
  return partsOfMade(name, requester, token, format('%d', fence))
end

-- Carries out the only item of a request. Returns its parts, or its text; nil if it must go the general way.
local function reserveOne(keys, args, name, nowMs)
  local isSimple, pool, slotNumber, capacity = slots.meaningOf(keys, name)
  if capacity and tenant.isAwaited(keys) then
    return nil
  elseif capacity then
    return slots.reserve(keys, args, FIRST, pool, slotNumber, capacity, nowMs)
  elseif isSimple then
    return reserveName(keys, name, args[4], args[5], args[6], pool, slotNumber, nowMs)
  end
end

-- Returns true if some names, or pools that could get them as slots, are registered.
local function areAnyDefined(key, names, ofPools)
  return tenant.definitions > 0 and
    (plain.areAnyDefined(key, names) or ofPools and plain.areAnyDefined(key, ofPools))
end

-- The fencing tokens of a batch follow each other, so most of their texts differ in the last three digits only: those
-- that calls have needed so far. thousands: the text before them; and the token from which on it is that.
local lastDigits, thousands, thousandsFrom = {}, '', 0

-- Returns the text of a fencing token of a batch. That takes a quarter of what format() takes.
local function fenceText(number)
  local last = number - thousandsFrom
  if last < 0 or last >= 1000 then
    last = number % 1000
    thousandsFrom = number - last
    thousands = format('%d', thousandsFrom / 1000)
  end
  if not lastDigits[last] then
    lastDigits[last] = format('%03d', last)
  end
  return thousands .. lastDigits[last]
end

-- Writes what several items have made: name, record, ...; and digits of the end, name, ... of those with a lease. Takes
-- the bytes of each list, and the earliest end, 0 never. Returns nil if the request must go the general way.
local function writeAll(keys, set, due, setBytes, dueBytes, firstEnd, ofPools)
  local made = #set / 2
  if made == 0 then
    return true
  elseif not tenant.addAll(made, firstEnd) then
    return nil
  end
  tenant.noteWritten(made + #due / 2, setBytes + dueBytes)
  if ofPools then
    slots.markAll(keys, set, 2, true)
  end
  call('HSET', keys.slots, unpack(set))
  if due[1] then
    call('ZADD', keys.due, unpack(due))
  end
  return true
end

-- Carries out all items. Returns their texts, joined; nil if the request must go the general way.
local function reserveAll(keys, args, nowMs, names, ofPools)
  if areAnyDefined(keys.definitions, names, ofPools) then
    return nil
  end
  local texts, set, due, made, label = {}, {}, {}, {}, tenant.label
  local found, first = call('HMGET', keys.slots, unpack(names)), tenant.nextFence()
  local at, sets, dues, setBytes, dueBytes, firstEnd, terms = FIRST, 0, 0, 0, 0, 0, nil
  for i = 1, #names do
    local name, requester, token = names[i], args[at + 1], args[at + 2]
    local held = found[i] or made[name]
    if args[at + 3] ~= terms then
      terms = args[at + 3]
      expiresAt, digits, type = plain.termsOf(terms, nowMs)
    end
    local text, second, third, last
    if not expiresAt then
      return nil
    elseif held then
      text, second, third, last = partsOfHeld(name, requester, token, held)
    else
      fence = first + sets / 2
      local packed = pack(PLAIN, 2, requester, fence, nowMs, expiresAt, token, type, label)
      made[name], set[sets + 1], set[sets + 2], sets = packed, name, packed, sets + 2
      setBytes = setBytes + #name + #packed
      if expiresAt > 0 then
        due[dues + 1], due[dues + 2], dues, dueBytes = digits, name, dues + 2, dueBytes + #name
        firstEnd = firstEnd > 0 and firstEnd < expiresAt and firstEnd or expiresAt
      end
      text, second, third, last = partsOfMade(name, requester, token, fenceText(fence))
    end
    if not text then
      return nil
    end
    texts[i], at = text .. '\n' .. second .. '\n' .. third .. '\n' .. last .. '\n', at + ITEM_SIZE
  end
  return writeAll(keys, set, due, setBytes, dueBytes, firstEnd, ofPools) and concat(texts, '\r')
end

-- Reserves a plain name that is free, for a request that would wait otherwise. Returns the text of the item; nil if it
-- must go the general way.
local function takeFree(keys, args, nowMs, nowUs)
  local terms = match(args[6], '^(%d+\n[^\n]*\n)%d+ %-?%d+ %d+\n\n$')
  if not terms or queueState.due and not tenant.mayGrant() then
    return nil
  end
  local name, pool, slotNumber = args[3], pools.split(args[3])
  local status, token, ends, released =
    reserveName(keys, name, args[4], args[5], terms .. '\n\n', pool, slotNumber, nowMs)
  if status and queueState.due then
    tenant.setQueue(queueState.skip(queueState.nextNumber(nowUs)))
  end
  return status and concat({ status, token, ends, released, '', '0' }, '\n')
end

-- Carries out a request that may wait. Returns as the verb does.
local function wait(keys, args)
  local nowMs, nowUs = plain.begin(keys, args, 1)
  local text, isFree
  if nowMs then
    text, isFree = join(keys, args, nowMs, nowUs)
  end
  if isFree then
    text = takeFree(keys, args, nowMs, nowUs)
  end
  if text then
    return plain.finish(keys, text, 1, #args[FIRST])
  end
  return plain.giveUp()
end

-- Carries out a request for several items. Returns as the verb does.
local function reserveMany(keys, args)
  local names, ofPools, work, length = plain.readNames(args, FIRST, ITEM_SIZE)
  if not names then
    return nil
  end
  local nowMs = plain.begin(keys, args, #names)
  local texts = nowMs and reserveAll(keys, args, nowMs, names, ofPools)
  if texts then
    return plain.finish(keys, texts, work, length)
  end
  return plain.giveUp()
end

return function(keys, args)
  local number, name = #args, args[FIRST]
  if args[2] == 'w' then
    if number == FIRST + ITEM_SIZE then
      return wait(keys, args)
    end
    return nil
  elseif number > LAST_OF_ONE then
    return reserveMany(keys, args)
  elseif number < LAST_OF_ONE then
    return nil
  end
  local nowMs, text, second, third, last = plain.begin(keys, args, 1), nil, nil, nil, nil
  if nowMs then
    text, second, third, last = reserveOne(keys, args, name, nowMs)
  end
  if text then
    return plain.finish(keys, text, 1, #name, second, third, last)
  end
  return plain.giveUp()
end
