--[[
  Returns whether resources have a free slot.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  the reads to charge (frame/reading.lua)
  ARGV[3]  the first resource

  Returns {'OK', quota (limits/quota.lua) and work (frame/work.lua), item, ...}, where an item is 1 if a slot is free,
  else 0; '' if its request is refused. Which ones are refused is the last element if requests share the call
  (tellMisfits() in frame/reading.lua). Or a refusal (frame/admission.lua): if requests that share the call take too
  much work together, it charges nothing.
]]
local availability = require('reservations/availability')
local naming = require('definitions/names')
local quota = require('limits/quota')
local reading = require('frame/reading')
local work = require('frame/work')

local function lookAtAll(args, reply)
  for i = 3, #args do
    reply[i] = reading.isMisfit[i - 2] and '' or availability.hasFreeSlot(naming.resolve(args[i])) and 1 or 0
  end
end

return function(_, args)
  local refused = reading.read('definitions')
  if refused then
    return refused
  end
  local reply = { 'OK', '' }
  -- A request that shares the call with nobody is always answered.
  if work.isOverBudget(lookAtAll, not reading.isSharedCall and math.huge, args, reply) then
    return reading.tooMuch(#reply - 2)
  end
  reply[2] = quota.readsQuota .. ' ' .. math.floor(work.done)
  return reading.tellMisfits(reply)
end
