-- What the call was given.
--   args     its arguments (ARGV)
--   flags    the flags of the request (frame/flags.lua), '' for verbs that take none
--   handed   what the plain way (lua/plain) has read of the tenant; nil nothing
local keys = require('frame/keys')
local call = {}
-- The keys' names in the call before: most calls have the same.
local namesBefore

-- Begins a call: takes the verb (frame/run.lua), the keys, the arguments, and what the plain way has read.
function call.start(verb, values, args, handed)
  local names = verb.keys
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
  call.flags = verb.hasFlags and args[2] or ''
end

return call
