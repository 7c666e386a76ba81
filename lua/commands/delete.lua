--[[
  Deletes a definition, and on demand all below it in the tree (interface, "Endpoints"; decisions, section 5).

  KEYS[1]  the tenant's hash

  ARGV[1]  SHA-256 of the API key, hexadecimal
  ARGV[2]  name
  ARGV[3]  1: with all below it; 0: only where there is nothing below it

  Returns {'OK', quota, name, ...}: those deleted, ancestors first;
  or, with nothing done, {'UNREGISTERED'}, or {'REFUSED', why};
  or what refuse() in refuse.lua returns; or {'NO_KEY'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include refuse
local requestType, cost = nil, 1
--@include charge
--@include codec
--@include slots
--@include definitions
--@include redefine
if expire(100) then
  commit()
  return { 'AGAIN' }
end
if not definition(ARGV[2]) then
  pay()
  return { 'UNREGISTERED' }
end

local MOST_DELETED = 5000
local reply = { 'OK', quota, ARGV[2] }
local next = 3
while reply[next] do
  local name = reply[next]
  for _, child in ipairs(childrenOf(name)) do
    if ARGV[3] == '0' then
      pay()
      return { 'REFUSED', ARGV[2] .. ' has resources below it: delete these first, or say cascade=true' }
    end
    reply[#reply + 1] = child
  end
  if #reply - 2 > MOST_DELETED then
    pay()
    return { 'REFUSED', ARGV[2] .. ' has more than ' .. MOST_DELETED .. ' resources below it: delete parts of it first' }
  end
  if heldOf(name) > 0 then
    pay()
    return { 'REFUSED', name .. ' is held by an active reservation' }
  end
  define(name, false)
  next = next + 1
end

commit(charged)
commitDefinitions()
return reply
