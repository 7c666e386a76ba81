-- Ends every script that changes reservations. All its changes take effect here, including ended expired reservations.
--@include commit
--@include openFor
--@include queue
--@include release

-- Opens the queue if this script changed a slot that tickets have to do with.
local function openForChanges()
  for _, slot in ipairs(changed) do
    local before, record = original[slot], records[slot]
    local pool = record and record.pool or before and before.pool or ''
    if not record or not before or record.owner ~= before.owner then
      openFor(slot)
      if pool ~= '' then
        openFor(pool)
      end
    end
    if queue then
      return
    end
  end
end

-- Settles the queue, commits all changes and the usage to charge (quota.lua; nil none), and returns the reply. If the
-- tenant has tickets, the quota in the reply of a charged request gets two more numbers: ms until something of the
-- tenant is due (-1: nothing), and the number of reads to charge.
local function finish(reply, usage)
  if tenant.queue and not queue then
    openForChanges()
  end
  if queue then
    queue.settle()
  end
  commit(usage)
  if (tenant.queue or queue) and usage and reply and reply[1] == 'OK' then
    local due = math.min(tenant.nextDue, state.nextDue)
    reply[2] = reply[2] .. ' ' .. (due == math.huge and -1 or math.max(0, math.ceil(due - nowMs))) .. ' ' ..
      (queue and queue.reads() or 0)
  end
  return reply
end
