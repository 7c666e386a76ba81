--[[
  Keeps the reply to a request with an Idempotency-Key that waited, if no script of its own could: its waits ended by
  what others did, or its items one after the other.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  answer
  KEYS[4]  answers

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  flags of the request (flags.lua)
  ARGV[3]  the first part of the reply, as the script of the request returns it after the quota

  Returns {'OK', quota}. Or, with nothing kept: {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, or a reply of once.before() in
  once.lua.
]]
--@include admit
--@include once
--@include quota
local refused = admit('reserve', {}) or once and once.before() or charge(nil, 0)
if refused then
  return refused
end
local reply = { 'OK', charged.quota }
for i = 3, #ARGV do
  reply[i] = ARGV[i]
end
if once then
  once.keep(reply)
end
return { 'OK', charged.quota }
