-- What the call was given.
--   args     its arguments (ARGV)
--   handed   what the plain way (lua/plain) has read of the tenant; nil nothing
local keys = require('frame/keys')
local call = {}
-- The keys' names in the call before: most calls have the same.
local namesBefore

-- Begins a call: takes the names of its keys, the keys, the arguments, and what the plain way has read.
function call.start(names, values, args, handed)
  if names ~= namesBefore then
    for name in pairs(keys) do
      keys[name] = nil
    end
    namesBefore = names
  end
  for i = 1, #names do
    keys[names[i]] = values[i]
  end
  call.args, call.handed = args, handed
end

return call
