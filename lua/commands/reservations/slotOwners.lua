--[[
  Returns who holds some slots of a resource, for the dashboard.

  KEYS[1]  tenant
  KEYS[2]  credential
  KEYS[3]  slots
  KEYS[4]  due
  KEYS[5]  pools
  KEYS[6]  definitions
  KEYS[7]  tickets
  KEYS[8]  lines
  KEYS[9]  waits
  KEYS[10]  sessions
  KEYS[11]  sessionHolds
  KEYS[12]  sessionsDue
  KEYS[13]  index
  KEYS[14]  history

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  the first slot's name; the other names follow

  Returns {'OK', slot, ...}, each as slotText.lua describes it. One call reads a limited number of slots, so the reply
  may cover only the first ones. Or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
--@include look
--@include slotText
--@include waiting/open
local refused = look('read')
if refused then
  return refused
end
local names = {}
for i = 2, #ARGV do
  names[#names + 1] = ARGV[i]
end
local reply, MAX_PIECE_WORK = { 'OK' }, 3000
for i, name in ipairs(names) do
  if i % 20 == 1 then
    if work > MAX_PIECE_WORK then
      break
    end
    readSlots({ unpack(names, i, math.min(i + 19, #names)) })
  end
  reply[#reply + 1] = slotText(name)
end
return reply
