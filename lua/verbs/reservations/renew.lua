--[[
  Renews reservations: each gets a new lease that starts now, but for those of sessions. Handles all items of one
  request, in order.

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

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  flags of the request (frame/flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (limits/cap.lua); '' at first
  ARGV[4]  the first item (frame/items.lua)

  Returns {'OK', quota, item, ...}. An item is {'RENEWED', expiry in ms}, {'NOT_RESERVED'}, {'DOESNT_OWN_RESERVATION'}
  or {'INVALID_RELEASE_TOKEN'}, with what tellTaken() in reservations/unreserve.lua adds, as a text
  (reservations/texts.lua). A shared call ends with what shares.tell() adds. Or, with nothing changed: {'REFUSED',
  message}, the reply of refuse() in limits/quota.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}, or {'INDEX',
  ms, swept} as in verbs/reservations/reserve.lua. Or a reply of once.before() in frame/idempotency.lua.
]]
local admission = require('frame/admission')
local batch = require('frame/batch')
local batches = require('frame/shares')
local cap = require('limits/cap')
local clock = require('frame/clock')
local codec = require('slots/codec')
local committing = require('frame/commit')
local flags = require('frame/flags')
local frame = require('frame/frame')
local idempotency = require('frame/idempotency')
local itemForms = require('frame/items')
local ownership = require('reservations/owners')
local quota = require('limits/quota')
local reservationEvents = require('events/reservations')
local slotMap = require('slots/slots')
local terms = require('reservations/terms')
local texts = require('reservations/texts')
local unreserving = require('reservations/unreserve')
local waitingQueue = require('waiting/queue')
local work = require('frame/work')

return function(_, args)
  waitingQueue.prepare()
  local items = itemForms.readItems(4, itemForms.renewItem)
  -- A retry was charged at the first try. It renews again, and its event has the later expiry.
  local refused = frame.request('RESERVE', (flags.isRepeated or batches.shares) and 0 or #items, items, idempotency.once)
  if refused then
    return refused
  end

  -- Returns the reply that refuses a request whose leases are too long; nil if none is.
  local function tooLongIn(ofRequest)
    for i, item in ipairs(ofRequest) do
      local fault = terms.tooLong(tonumber(item.ttlMs))
      if fault then
        return { 'REFUSED', string.format('[%d].ttlSeconds %s', i - 1, fault) }
      end
    end
  end

  refused = not batches.shares and tooLongIn(items)
  if refused then
    return refused
  elseif batches.shares then
    batches.shares.divide(items)
  end

  -- Returns true if the item's request of a shared call is refused.
  local function isRefused(share)
    local why = not share.isCharged and not share.refused and tooLongIn(share.items)
    share.refused = why and function()
      return why
    end or share.refused
    return batches.shares.isRefused(share, 'RESERVE', flags.isRepeated and 0 or #share.items)
  end

  -- Returns true if the caller may renew a reservation without its token. What nobody has claimed has no lease yet.
  local function mayRenew(reservation)
    return reservation.token ~= codec.UNCLAIMED and admission.mayForce(reservation.owner)
  end

  local reply = { 'OK', quota.charged.quota }
  local overBudget = batch.eachItem(items, function(item)
    if batches.shares and isRefused(item.share) then
      reply[#reply + 1] = {}
      return
    end
    local reservation, isHeld = ownership.reservationOf(item.resource, item.requester)
    if not reservation then
      reply[#reply + 1] = { isHeld and 'DOESNT_OWN_RESERVATION' or 'NOT_RESERVED' }
    elseif reservation.token ~= item.token and not mayRenew(reservation) then
      reply[#reply + 1] = { 'INVALID_RELEASE_TOKEN' }
    else
      local renewed = codec.copyWith(reservation, { expiresAt = reservation.session and ownership.endOf(reservation) or clock.nowMs() + item.ttlMs })
      if not reservation.session then
        slotMap.setRecord(reservation.slot, renewed)
      end
      reply[#reply + 1] = { 'RENEWED', renewed.expiresAt }
      reservationEvents.emitRenewed(renewed)
      reservationEvents.spendOnEvent(item, renewed.details)
    end
  end)
  if overBudget then
    return work.tooMuch(overBudget)
  end
  refused = cap.askForIndex(args[3])
  if refused then
    return refused
  end
  unreserving.tellTaken(items, reply, 3)
  reply[2] = quota.charged.quota
  committing.finish(texts.asTexts(reply, 3), quota.charged.usage)
  if batches.shares then
    return batches.shares.tell(reply)
  end
  return idempotency.once and idempotency.once.keep(reply) or reply
end
