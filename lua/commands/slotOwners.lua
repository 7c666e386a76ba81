--[[
  Who holds some slots of a resource, for people to look at.

  KEYS[1]  the tenant's hash

  ARGV[1]  who asks (gate.lua)
  ARGV[2]  the first of one for each slot: its name

  Returns {'OK', owner, ...}, '' for a slot that is free; or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include clock
--@include gate
--@include tenant
--@include publish
--@include codec
--@include slots
if expire(100) then
  commit()
  return { 'AGAIN' }
end
commit()
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
