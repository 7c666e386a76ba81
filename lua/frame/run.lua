-- Runs a verb: first the plain way, if it has one, then the general one.
--
-- Rules for all Lua:
-- - A file is a module: `local slotMap = require('slots/slots')` at its head, `return slotMap` at its end. Modules may
--   not need each other in a circle.
-- - A module of lua/verbs has the verbs of a noun as fields. Each has a header: a long comment that begins with its
--   name, and names each ARGV[n] with its unit, and the reply. src/redis/verbs.ts has its row. If it takes a
--   credential (frame/admission.lua), it may return a refusal instead, which admission.lua lists. `flags` are those
--   of frame/call.lua, `reads` the number of reads to charge (frame/reading.lua), `quota` in a reply what
--   limits/quota.lua returns.
-- - While a library is loaded, Redis has neither `string` nor `redis.call`: a module is made at the first call.
-- - A module's variables live on after a call. What belongs to a call is assigned by the module's function begin(),
--   which runs before each verb that needs the module; of the queue's modules by open(), which runs when a call has to
--   do with tickets. test/engine/failingCalls.thorough.test.ts makes every call of Redis fail in turn.
-- - A verb works only on keys of one tenant, which share a hash tag. It takes the time from clock.nowMs().
-- - Every read, loop and list spends from the work budget (frame/work.lua) or has a limit.
--   test/engine/hog.thorough.test.ts holds the worst request of every script to 10 ms. `HOG=full` runs it with
--   1,000,000 reservations and prints the figures.
-- - A verb that charges is made by charged.verb() of a table, whose fields frame/charged.lua names. A verb that reads
--   is made by verb() or freeVerb() of frame/reading.lua. Each kind of item has a function in frame/items.lua and a
--   line in src/redis/layouts.ts.
-- - send() repeats a call whose connection was lost. A verb that must not run twice is `isRemembered` and declares
--   `answer`. If its requests may have an Idempotency-Key, it declares `answers` too, and its operation is
--   `isRepeatable` and passes `idempotency` down to callCharged().
local call = require('frame/call')
local keys = require('frame/keys')

-- The same for all calls of a verb, so it is done once.
local function prepare(verb)
  verb.plain = verb.plainModule and require(verb.plainModule)
  verb.general = require(verb.module)[verb.name]
  for i, name in ipairs(verb.modules) do
    verb.begins[i] = require(name).begin
  end
  verb.given = {}
  for _, name in ipairs(verb.keys) do
    verb.given[name] = true
  end
end

-- Takes a verb: its name and its module, and the one of its plain way (lua/plain), nil none; the names of the keys
-- that it is given, and the set of those that are derived from the tenant's; hasFlags: true if its second argument
-- has flags (frame/call.lua); and modules: those that it needs and that have a function begin(), each after those
-- that it needs itself. Takes the keys and arguments of the call. Returns the reply.
return function(verb, values, args)
  if not verb.general then
    prepare(verb)
  end
  call.setKeys(verb, values)
  local reply, handed
  if verb.plain then
    reply, handed = verb.plain(keys, args)
    if reply then
      return reply
    end
  end
  call.start(verb, args, handed)
  local begins = verb.begins
  for i = 1, #begins do
    begins[i]()
  end
  return verb.general(keys, args)
end
