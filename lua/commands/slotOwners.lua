--[[
  Says who holds some slots of a resource, for people to look at.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  the first of one for each slot: its name

  Returns {'OK', owner, ...}, '' for a slot that is free; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include admit
--@include expiry
local refused = admit() or expireAndCommit()
if refused then
  return refused
end
local names = {}
for i = 2, #ARGV do
  names[#names + 1] = ARGV[i]
end
read(names)
local reply = { 'OK' }
for _, name in ipairs(names) do
  reply[#reply + 1] = records[name] and records[name].owner or ''
end
return reply
