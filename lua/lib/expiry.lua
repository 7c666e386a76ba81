-- Ending what is due. Every script that looks at slots does this first, so none ever sees an expired reservation.
--@include commit

-- Slots that one script ends and the work that it does for this, before the rest is left to the next one.
local MAX_ENDED, MAX_EXPIRY_WORK = 100, 1500

-- Ends what is due, the earliest first, at most so much as leaves time for the script's own work. Returns nil if
-- nothing is due any more: the script goes on, and writes this with its own changes by commit(). Else returns
-- {'AGAIN'}, with the piece committed: the script returns it, and is called again.
local function expire()
  if nextDue > nowMs then
    return nil
  end
  dueStale = true
  local slots = redis.call('ZRANGE', dueKey, '-inf', nowMs, 'BYSCORE', 'LIMIT', 0, MAX_ENDED)
  work = 0
  for i, slot in ipairs(slots) do
    if i % 10 == 1 then
      read({ unpack(slots, i, math.min(i + 9, #slots)) })
    end
    local record = at(slot)
    if record and record.token and record.expiresAt > 0 and record.expiresAt <= nowMs then
      release(slot)
      spend(5)
      local event = {
        requestType = 'EXPIRE', resource = record.asked, requester = record.owner, explanation = 'EXPIRED',
        resourceType = record.type, apiKeyLabel = record.label,
      }
      emit('RESERVATION_EXPIRED', event)
      event.explanation = 'RELINQUISHED'
      emit('UNRESERVED', event)
    else
      -- A due entry must not fail every script for ever, whatever brought it about.
      redis.call('ZREM', dueKey, slot)
      report('slot ' .. slot .. ': it was due, and has no lease that is')
    end
    if work > MAX_EXPIRY_WORK and i < #slots then
      break
    end
  end
  if #slots == MAX_ENDED or work > MAX_EXPIRY_WORK then
    commit()
    return { 'AGAIN' }
  end
end

-- The same for scripts that only look: all that was ended is committed.
local function expireAndCommit()
  local again = expire()
  if not again and dueStale then
    commit()
  end
  return again
end
