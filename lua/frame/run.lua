-- Runs a verb: first the plain way, if it has one, then the general one.
local call = require('frame/call')
local keys = require('frame/keys')

-- The same for all calls of a verb, so it is done once.
local function prepare(verb)
  verb.plain = verb.plainModule and require(verb.plainModule)
  verb.general = require(verb.module)
  for i, name in ipairs(verb.modules) do
    verb.begins[i] = require(name).begin
  end
end

-- Takes a verb: its module, and the one of its plain way (lua/plain), nil none; the names of its keys; hasFlags:
-- true if its second argument has flags (frame/flags.lua); and modules: those that it needs and that have a function
-- begin(), each after those that it needs itself. Takes the keys and arguments of the call. Returns the reply.
return function(verb, values, args)
  if not verb.general then
    prepare(verb)
  end
  local reply, handed
  if verb.plain then
    reply, handed = verb.plain(values, args)
    if reply then
      return reply
    end
  end
  call.start(verb, values, args, handed)
  local begins = verb.begins
  for i = 1, #begins do
    begins[i]()
  end
  return verb.general(keys, args)
end
