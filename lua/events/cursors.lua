-- The cursors of those who read a tenant's outbox (events/outbox.lua): subscriptions, and the personal notices of all
-- people. A cursor is a field of the hash {t}:cursors: a line of words, and then the choice of the stored batch:
--   after       the id of the last entry that is done with
--   events      number of events up to there, as entries count them; -1: unknown, so the reader is told that it has
--               missed some
--   failures    number of attempts of the batch that have failed
--   failedAt    ms of the first failure since the last success; 0 none
--   nextAt      ms before which no attempt is made
--   leasedTo    ms until which the owner of the lease has the batch; 0: nobody has it
--   owner       the worker that had it last, `-` none
--   webhookId   the id of the stored batch, `-` none is stored
--   last        the id of its last entry, `-` none
local clock = require('frame/clock')
local outbox = require('events/outbox')
local tenant = require('frame/tenant')
local cursors = {}

-- Number of entries that one command reads; the bytes after which a call reads no more.
local STEP, MAX_READ = 10, 1048576

local WORDS = '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)\n(.*)$'

function cursors.read(text)
  local after, events, failures, failedAt, nextAt, leasedTo, owner, webhookId, last, choice =
    string.match(text, WORDS)
  return {
    after = after, events = tonumber(events), failures = tonumber(failures), failedAt = tonumber(failedAt),
    nextAt = tonumber(nextAt), leasedTo = tonumber(leasedTo), owner = owner, webhookId = webhookId, last = last,
    choice = choice,
  }
end

function cursors.write(keys, reader, cursor)
  redis.call('HSET', keys.cursors, reader, string.format(
    '%s %d %d %.0f %.0f %.0f %s %s %s\n%s', cursor.after, cursor.events, cursor.failures, cursor.failedAt,
    cursor.nextAt, cursor.leasedTo, cursor.owner, cursor.webhookId, cursor.last, cursor.choice
  ))
end

function cursors.forgetBatch(cursor)
  cursor.webhookId, cursor.last, cursor.choice = '-', '-', ''
end

-- Returns true if the id of an entry is before another one.
function cursors.isBefore(one, other)
  local ms, number = string.match(one, '^(%d+)-(%d+)$')
  local otherMs, otherNumber = string.match(other, '^(%d+)-(%d+)$')
  ms, otherMs = tonumber(ms), tonumber(otherMs)
  return ms < otherMs or ms == otherMs and tonumber(number) < tonumber(otherNumber)
end

-- Deletes the entries that all readers are done with. Saves the numbers of the outbox.
function cursors.trim(keys)
  local box, first = tenant.box, nil
  for _, text in ipairs(redis.call('HVALS', keys.cursors)) do
    local after = string.match(text, '^%S+')
    if not first or cursors.isBefore(after, first) then
      first = after
    end
  end
  if first and box.entries > 0 then
    local ms, number = string.match(first, '^(%d+)-(%d+)$')
    redis.call('XTRIM', keys.outbox, 'MINID', string.format('%s-%d', ms, number + 1))
    local left = redis.call('XRANGE', keys.outbox, '-', '+', 'COUNT', 1)[1]
    box.entries = redis.call('XLEN', keys.outbox)
    box.from = box.to
    if left then
      local _, at = outbox.read(left[2][2])
      box.from = at
    end
  end
  tenant.save()
end

-- Returns the entries behind an id, up to another one ('+' all), with at most so many entries and MAX_READ bytes, but
-- at least one; and true if no other is left.
local function readEntries(key, after, last, most)
  local found, size = {}, 0
  while #found < most and size < MAX_READ do
    local step = math.min(STEP, most - #found)
    local entries = redis.call('XRANGE', key, '(' .. after, last, 'COUNT', step)
    for _, entry in ipairs(entries) do
      found[#found + 1], size, after = entry, size + #entry[2][2], entry[1]
    end
    if #entries < step then
      return found, true
    end
  end
  return found, redis.call('XRANGE', key, '(' .. after, last, 'COUNT', 1)[1] == nil
end

-- Returns what a cursor has before it, as readEntries() does. If events found no room and nothing follows them, adds an
-- entry that says so.
function cursors.ahead(keys, cursor, most)
  local found, isAll
  if cursor.webhookId ~= '-' then
    found, isAll = readEntries(keys.outbox, cursor.after, cursor.last, outbox.MAX_ENTRIES)
    if found[1] then
      return found, isAll
    end
    cursors.forgetBatch(cursor)
  end
  found, isAll = readEntries(keys.outbox, cursor.after, '+', most)
  if not found[1] and cursor.events ~= tenant.box.events then
    outbox.mark(keys.outbox, tenant.box, tenant.limits.outbox, clock.nowMs())
    tenant.save()
    return readEntries(keys.outbox, cursor.after, '+', most)
  end
  return found, isAll
end

return cursors
