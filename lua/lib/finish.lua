-- Ends every script that changes reservations. All its changes take effect here, including ended expired reservations.
--@include commit
--@include release
--@include work

-- Settles the queue, commits all changes and the usage to charge (quota.lua; nil none), and returns the reply. The
-- quota in the reply of a charged request gets a further number, the work that it took (work.lua). If the tenant has
-- tickets, it gets two more: ms until something of the tenant is due (-1: nothing), and the number of reads to charge.
local function finish(reply, usage)
  if tenant.queueText and not tenant.queue then
    tenant.openForChanges()
  end
  if tenant.queue then
    tenant.queue.settle()
  end
  commit(usage)
  if usage and reply and reply[1] == 'OK' then
    reply[2] = reply[2] .. ' ' .. math.floor(work)
    if tenant.queueText or tenant.queue then
      reply[2] = reply[2] .. ' ' .. tenant.dueInMs() .. ' ' ..
        (tenant.queue and tenant.queue.reads and tenant.queue.reads() or 0)
    end
  end
  return reply
end
