-- Verbs of the tenant's record, of credentials, and of what is counted for the dashboard.
local admission = require('frame/admission')
local clock = require('frame/clock')
local endsSoon = require('events/endsSoon')
local flags = require('frame/call').flags
local keys = require('frame/keys')
local quota = require('limits/quota')
local tenant = require('frame/tenant')
local verbs = {}

--[[ loadTenant
  Stores a tenant's record: tier, settings and keys. Replaces all keys. Reservations do not change. A stream ends if its
  key is no longer there. A newer record is not overwritten.

  ARGV[1]  version of the record; '' overwrites any version
  ARGV[2]  version of the definitions, which were copied to Redis under the lease in ARGV[3]; '' if only the record
           changed: an unloaded tenant is then skipped, and a copy in progress is cancelled so that it restarts
  ARGV[3]  the lease of that copy; '' if none is needed
  ARGV[4]  tier
  ARGV[5]  1 if the tenant is suspended, else 0
  ARGV[6]  1 if only registered resources may be reserved, else 0
  ARGV[7]  the highest priority that requests may wait with: src/engine/tenant/record.ts reads it
  ARGV[8]  the settings for leases and notes (reservations/terms.lua), '' if none is set
  ARGV[9]  the types of events that the outbox wants (domain/notices.ts), '' none
  ARGV[10] how long before their ends leases are announced, in ms; 0 never (events/endsSoon.lua)
  ARGV[11] SHA-256 of the first key (that of a management token follows `management:`); its label ('' none) and its
           grant ('' none: frame/tenant.lua) follow, then the other keys likewise

  Returns the time in ms at which the caller must put the tenant into the due index, -1 if it need not; or 'LOST', with
  nothing changed, if the caller no longer holds the lease of the copy.
]]
local TIERS = { Free = 1, Starter = 2, Pro = 3, Enterprise = 4 }

-- Returns true if the caller no longer holds the lease of the copy. Otherwise the copy ends.
local function isLeaseLost(lease)
  if redis.call('GET', keys.copying) ~= lease then
    return true
  end
  redis.call('DEL', keys.copying)
end

-- Writes the keys, from an argument on. Returns their fields: field -> true.
local function writeKeys(args, first)
  local kept = {}
  for i = first, #args, 900 do
    local fields = {}
    for j = i, math.min(i + 899, #args), 3 do
      local field, label, grant = 'key:' .. args[j], args[j + 1], args[j + 2]
      fields[#fields + 1], fields[#fields + 2] = field, grant == '' and label or label .. '\n' .. grant
      kept[field] = true
    end
    redis.call('HSET', keys.tenant, unpack(fields))
  end
  return kept
end

local function removeOtherKeys(kept)
  for _, field in ipairs(redis.call('HKEYS', keys.tenant)) do
    local digest = string.match(field, '^key:(.*)$')
    if digest and not kept[field] then
      redis.call('HDEL', keys.tenant, field)
      redis.call('HDEL', keys.used, digest)
    end
  end
end

-- Writes the record. Takes the state of the queue. Returns as endsSoon.follow().
local function write(args, queueState)
  local before = endsSoon.before()
  local tier = TIERS[args[4]]
  -- Windows of the quota belong to a tier, so a change of tier starts new ones.
  if tenant.tierNumber ~= tier then
    tenant.tierNumber, tenant.minuteStart, tenant.minute, tenant.day, tenant.today = tier, 0, 0, 0, 0
  end
  tenant.setFlag(tenant.HAS_TERMS, args[8] ~= '')
  tenant.setFlag(tenant.IS_SUSPENDED, args[5] == '1')
  tenant.setFlag(tenant.REQUIRES_REGISTRATION, args[6] == '1')
  if tenant.box and args[9] == '' then
    redis.call('UNLINK', keys.outbox)
  end
  tenant.setNotices(args[9])
  -- A change of settings may change what tickets may have: they are planned again by the next call (waiting/state.lua).
  if queueState then
    redis.call('HSET', keys.tenant, 'queue', (string.gsub(queueState, '%S+$', '.')))
  end
  tenant.save({
    'version', args[1] == '' and 0 or args[1], 'maxPriority', args[7], 'terms', args[8], 'endsSoon', args[10],
  })
  removeOtherKeys(writeKeys(args, 11))
  -- An empty message makes instances check whether the keys of their streams are still valid.
  redis.call('SPUBLISH', string.sub(keys.tenant, 1, -7) .. 'events', '')
  return endsSoon.follow(before)
end

function verbs.loadTenant(_, args)
  local version, queueState = redis.call('HGET', keys.tenant, 'version'), tenant.queueText
  if args[3] ~= '' then
    if isLeaseLost(args[3]) then
      return 'LOST'
    end
  elseif args[2] == '' and not tenant.tier then
    redis.call('DEL', keys.copying)
    return -1
  end
  if args[2] ~= '' then
    redis.call('HSET', keys.tenant, 'definitionsVersion', args[2])
  end
  local isOld = args[1] ~= '' and version and tonumber(version) > tonumber(args[1])
  return isOld and -1 or write(args, queueState)
end

--[[ authenticate (ARGV[1] credential)
  Verifies a credential and does nothing else.

  ARGV[2]  the right that it must have; '' none

  Returns {'OK', the tenant's tier, the label of the key or management token ('' none), its rights with spaces between
  them ('' all that such a credential can have)}, {'NO_KEY'}, {'SUSPENDED'}, {'FORBIDDEN', message} or {'NO_TENANT'}.
]]
function verbs.authenticate(_, args)
  local refusal = admission.admit(args[2] ~= '' and args[2], {})
  if refusal then
    return refusal
  end
  local rights = tenant.grant and string.match(tenant.grant, '^[^\n]*') or tenant.rights or tenant.tokenRights or ''
  return { 'OK', tenant.tier, tenant.keyLabel, rights }
end

--[[ issueToken
  Issues a derived token, which expires.

  ARGV[1]  token:<SHA-256 of the token, hexadecimal>
  ARGV[2]  flags of the request (frame/call.lua)
  ARGV[3]  lifetime of the token in ms
  ARGV[4]  lifetime of the set in ms
  ARGV[5]  what it may do, as tokenText() in src/domain/tenants.ts writes it

  Returns {'OK', quota}; or {'FREE'} if the tenant is on the Free tier, which has no derived tokens.
]]
function verbs.issueToken(_, args)
  if not tenant.tier then
    return { 'NO_TENANT' }
  elseif tenant.isSuspended then
    return { 'SUSPENDED' }
  elseif tenant.tier == 'Free' then
    return { 'FREE' }
  end
  local refused = quota.charge(nil, flags.isRepeated and redis.call('EXISTS', keys.credential) == 1 and 0 or 1)
  if refused then
    return refused
  end
  quota.pay()
  redis.call('SET', keys.credential, args[5], 'PX', args[3])
  redis.call('SADD', keys.tokens, args[1])
  redis.call('PEXPIRE', keys.tokens, args[4])
  return { 'OK', quota.text() }
end

--[[ activity
  Records a tenant's activity on one instance since that instance's last call, for the dashboard: operations, refusals
  and requests per minute of the last hour, and when each key was last used.

  ARGV[1]  number of operations
  ARGV[2]  number of refused operations among them
  ARGV[3]  number of requests
  ARGV[4]  SHA-256 of the first used key, hexadecimal; the others follow

  Returns nothing.
]]
function verbs.activity(_, args)
  -- A tenant that is deleted keeps nothing; one that Redis has lost is counted again once it is loaded.
  if not tenant.tier then
    return
  end
  local minute = math.floor(clock.nowMs() / 60000)
  local slot = minute % 60
  local row = redis.call('HGET', keys.activity, slot) or ''
  local before, operations, refusals, requests = string.match(row, '^(%d+) (%d+) (%d+) (%d+)$')
  if tonumber(before) ~= minute then
    operations, refusals, requests = 0, 0, 0
  end
  local counts = { minute, operations + args[1], refusals + args[2], requests + args[3] }
  redis.call('HSET', keys.activity, slot, table.concat(counts, ' '))
  redis.call('EXPIRE', keys.activity, 7200)
  for i = 4, #args do
    if redis.call('HEXISTS', keys.tenant, 'key:' .. args[i]) == 1 then
      redis.call('HSET', keys.used, args[i], clock.nowMs())
    end
  end
end

--[[ refusals
  Counts refused requests of an hour, by resource and by limit, since an instance's last call
  (docs/specification.md#refusals). At most 1,000 resources of an hour have a count of their own.

  ARGV[1]  the hour of the day, 0 to 23
  ARGV[2]  what was refused: r<resource>, l<limit type>, or o for other resources. How many times follows, and moreSlots
           pairs

  Returns nothing.
]]
function verbs.refusals(_, args)
  if not tenant.tier then
    return
  end
  local MAX_NAMES, KEPT_S = 1000, 691200
  local hour, names = args[1], nil
  for i = 2, #args, 2 do
    local field = hour .. args[i]
    if string.byte(args[i]) == 114 then
      names = names or tonumber(redis.call('HGET', keys.refusals, hour .. 'n') or 0)
      local isKnown = redis.call('HEXISTS', keys.refusals, field) == 1
      if not isKnown and names >= MAX_NAMES then
        field = hour .. 'o'
      elseif not isKnown then
        names = names + 1
      end
    end
    redis.call('HINCRBY', keys.refusals, field, args[i + 1])
  end
  if names then
    redis.call('HSET', keys.refusals, hour .. 'n', names)
  end
  redis.call('EXPIRE', keys.refusals, KEPT_S)
end

return verbs
