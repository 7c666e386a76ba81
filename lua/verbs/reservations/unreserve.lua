--[[
  Releases reservations. Handles all items of one request, in order; each succeeds or fails on its own.

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
  KEYS[15]  answer
  KEYS[16]  answers
  KEYS[17]  taken
  KEYS[18]  takenAt

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is a reply of unreserveOne() in reservations/unreserve.lua, with what
  tellTaken() in reservations/unreserve.lua adds, as a text (reservations/texts.lua). A shared call ends with what
  shares.tell() adds. Or, with nothing changed: {'REFUSED', message}, the reply of refuse() in limits/quota.lua,
  {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'} or {'AGAIN'}. Or {'UNKNOWN'} if an earlier try ran and its reply was not
  kept. Or a reply of once.before() in frame/idempotency.lua.
]]
local answers = require('frame/answers')
local batch = require('frame/batch')
local batches = require('frame/shares')
local committing = require('frame/commit')
local flags = require('frame/flags')
local frame = require('frame/frame')
local idempotency = require('frame/idempotency')
local itemForms = require('frame/items')
local quota = require('limits/quota')
local reservationEvents = require('events/reservations')
local tenant = require('frame/tenant')
local texts = require('reservations/texts')
local unreserving = require('reservations/unreserve')
local waitingQueue = require('waiting/queue')
local work = require('frame/work')

return function()
  waitingQueue.prepare()
  local items = itemForms.readItems(3, itemForms.unreserveItem)
  local refused = frame.requestOnce('reserve', 'UNRESERVE', (flags.isDry or batches.shares) and 0 or #items, items, idempotency.once, true)
  if refused then
    return refused
  end
  frame.beginDryRun()
  if batches.shares then
    batches.shares.divide(items)
  end

  local reply = { 'OK', quota.charged.quota }
  local overBudget = batch.eachItem(items, function(item)
    if batches.shares and batches.shares.isRefused(item.share, 'UNRESERVE', #item.share.items) then
      reply[#reply + 1] = {}
      return
    end
    local result, ended = unreserving.unreserveOne(item)
    reservationEvents.emitUnreserved(item, result, ended)
    reply[#reply + 1] = result
    reservationEvents.spendOnEvent(item)
  end)
  if overBudget then
    return work.tooMuch(overBudget)
  end
  unreserving.tellTaken(items, reply, 3)
  if flags.isDry then
    return texts.asTexts(reply, 3)
  end
  reply[2] = quota.charged.quota
  committing.finish(texts.asTexts(reply, 3), quota.charged.usage)
  if tenant.takenAway then
    unreserving.keepTaken()
  end
  if batches.shares then
    batches.shares.tell(reply)
  end
  return idempotency.once and idempotency.once.keep(reply) or answers.remember(reply)
end
