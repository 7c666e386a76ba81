--[[
  Deletes a definition, and on demand all below it in the tree (interface, "Endpoints"; decisions, section 5).

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  phase: now, in the in-memory mode; else plan or replan, then apply (redefine.lua), or reopen to let go of a plan
  ARGV[3]  to apply: the version of the definitions at which it was planned; '' otherwise
  ARGV[4]  name
  ARGV[5]  1: with all below it; 0: only where there is nothing below it
  ARGV[6]  to plan: ms that what is to be deleted is kept from being reserved meanwhile

  Returns {'OK', quota, version of the definitions, label of the key, name, ...}: those deleted, ancestors first;
  or, with nothing done, {'UNREGISTERED'}, {'STALE'}, or {'REFUSED', why};
  or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
local phase = ARGV[2]
local requestType, cost = nil, (phase == 'now' or phase == 'plan') and 1 or 0
--@include charge
--@include codec
--@include slots
--@include definitions
--@include redefine
if expire(100) then
  commit()
  return { 'AGAIN' }
end
if isStale(phase, ARGV[3]) then
  return { 'STALE' }
end
if not definition(ARGV[4]) then
  pay()
  return { 'UNREGISTERED' }
end

local MOST_DELETED = 5000
local reply = { 'OK', quota, definitionsVersion or '', keyLabel, ARGV[4] }
local next = 5
while reply[next] do
  local name = reply[next]
  for _, child in ipairs(childrenOf(name)) do
    if ARGV[5] == '0' then
      pay()
      return { 'REFUSED', ARGV[4] .. ' has resources below it: delete these first, or say cascade=true' }
    end
    reply[#reply + 1] = child
  end
  if #reply - 4 > MOST_DELETED then
    pay()
    return { 'REFUSED', ARGV[4] .. ' has more than ' .. MOST_DELETED .. ' resources below it: delete parts of it first' }
  end
  if phase ~= 'reopen' and heldOf(name) > 0 then
    -- In the database it is deleted already, and whoever did that took so long that somebody could reserve it again.
    if phase == 'apply' then
      loosen(name)
    else
      pay()
      return { 'REFUSED', name .. ' is held by an active reservation' }
    end
  end
  next = next + 1
end

commit(charged)
if phase == 'plan' or phase == 'replan' then
  local closingUntil = nowMs + ARGV[6]
  local names = {}
  for i = 5, #reply do
    names[#names + 1] = reply[i]
    names[#names + 1] = closingUntil
  end
  callWith('HSET', base .. 'closing', names)
  redis.call('HSET', KEYS[1], 'closing', math.max(closing, closingUntil))
else
  local names = {}
  for i = 5, #reply do
    names[#names + 1] = reply[i]
    undefine(reply[i])
  end
  if phase ~= 'now' then
    callWith('HDEL', base .. 'closing', names)
  end
  if phase ~= 'reopen' then
    commitDefinitions(ARGV[3])
  end
end
return reply
