-- What the call was given.
--   args     its arguments (ARGV)
--   handed   what the plain way (lua/plain) has read of the tenant; nil nothing
local keys = require('frame/keys')
local call = {}

-- Begins a call: takes the names of its keys, the keys, the arguments, and what the plain way has read.
function call.start(names, values, args, handed)
  for name in pairs(keys) do
    keys[name] = nil
  end
  for i, name in ipairs(names) do
    keys[name] = values[i]
  end
  call.args, call.handed = args, handed
end

return call
