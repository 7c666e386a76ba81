-- Lists and counts bookings by their members of the sorted set `booked` (bookings/records.lua).
local keys = require('frame/keys')
local records = require('bookings/records')
local work = require('frame/work')
local lists = {}

-- Returns the number of bookings of the tenant, with those of this call.
function lists.count()
  return redis.call('HLEN', keys.bookings) + records.countNew(function()
    return true
  end)
end

-- Returns the number of bookings of a requester that begin after a time in s, with those of this call.
function lists.futureOf(requester, afterS)
  work.spend(2)
  local from = string.format('[q%s\n%010d', requester, afterS + 1)
  return redis.call('ZLEXCOUNT', keys.booked, from, '(q' .. requester .. '\11') + records.countNew(function(record)
    return record.requester == requester
  end)
end

-- Returns true if Redis has a booking with a member of `booked` that has a prefix, which ends with '\n', from a text
-- on. Those that are over since a reset do not count, unless they are very many.
local function isAnyFrom(prefix, from)
  local MAX_LOOKED = 100
  local upper = '(' .. string.sub(prefix, 1, -2) .. '\11'
  local found = redis.call('ZRANGE', keys.booked, '[' .. prefix .. from, upper, 'BYLEX', 'LIMIT', 0, MAX_LOOKED)
  work.spend(3 + #found / 4)
  for _, member in ipairs(found) do
    if records.at(string.sub(member, -22)) then
      return true
    end
  end
  return #found == MAX_LOOKED
end

-- Returns true if a resource has bookings, also running ones.
function lists.isAnyOf(resource)
  return records.areAny() and isAnyFrom('r' .. resource .. '\n', '')
end

-- Returns true if a slot of a pool with this number, or a higher one, has a booking.
function lists.isAnyFrom(pool, slotNumber)
  return records.areAny() and isAnyFrom('n' .. pool .. '\n', string.format('%07d', slotNumber))
end

-- Returns the bounds in `booked` of the members with a prefix, behind one (nil: from the first on) and before one.
local function boundsOf(prefix, after, before)
  local upper = before or string.sub(prefix, 1, -2) .. string.char(string.byte(prefix, -1) + 1)
  return after and '(' .. after or '[' .. prefix, '(' .. upper
end

-- Returns the number of the bookings that idsOf() goes through.
function lists.countOf(prefix, after, before)
  return redis.call('ZLEXCOUNT', keys.booked, boundsOf(prefix, after, before))
end

-- Returns up to a number of ids, of the bookings that Redis has with a prefix of `booked`, behind a member (nil: from
-- the first on), the last member if there may be more; and their members.
function lists.idsOf(prefix, after, limit, before)
  local from, upper = boundsOf(prefix, after, before)
  local found = redis.call('ZRANGE', keys.booked, from, upper, 'BYLEX', 'LIMIT', 0, limit)
  local ids = {}
  work.spend(3 + #found / 4)
  for i, member in ipairs(found) do
    ids[i] = string.sub(member, -22)
  end
  return ids, found[limit], found
end

-- Returns true if bookings are delayed, or were before this call.
function lists.areDelayed()
  return records.newlyDelayed()[1] or lists.idsOf('d', nil, 1)[1]
end

-- Returns up to a number of delayed bookings of some resources, nil of all, behind a member of `booked`; nil: from the
-- first on, and with those of this call: their ids, their members, and the last member that was looked at if there may
-- be more. isWanted[resource]: true for those resources.
function lists.delayed(after, limit, isWanted)
  local MAX_READ = 500
  local _, last, found = lists.idsOf('d', after, MAX_READ)
  for _, member in ipairs(after and {} or records.newlyDelayed()) do
    found[#found + 1] = member
  end
  local ids, wanted = {}, {}
  for i, member in ipairs(found) do
    if not isWanted or isWanted[string.sub(member, 34)] then
      if #ids == limit then
        return ids, wanted, found[i - 1]
      end
      ids[#ids + 1], wanted[#wanted + 1] = string.sub(member, 12, 33), member
    end
  end
  return ids, wanted, last
end

return lists
