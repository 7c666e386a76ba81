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

  ARGV[1]  the credential (admit.lua)
  ARGV[2]  flags of the request (flags.lua)
  ARGV[3]  the tenant's time in the expiry index, '<ms> <swept>' (index.lua); '' at first
  ARGV[4]  the first item (items/renew.lua)

  Returns {'OK', quota, item, ...}. An item is {'RENEWED', expiry in ms}, {'NOT_RESERVED'}, {'DOESNT_OWN_RESERVATION'}
  or {'INVALID_RELEASE_TOKEN'}, with what tellTaken() in tellTaken.lua adds, as a text (asTexts.lua). A shared call ends with what shares.tell() adds. Or,
  with nothing changed: {'REFUSED', message}, the reply of refuse() in refuse.lua, {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}, or {'INDEX', ms, swept} as in
  reserve.lua. Or a reply of once.before() in once.lua.
]]
--@include clock
--@include once
--@include request
--@include shares
--@include items
--@include items/renew
--@include terms
--@include batch
--@include reservations
--@include endOf
--@include tellTaken
--@include emitRenewed
--@include eventWork
--@include index
--@include asTexts
--@makeRare
--@include waiting/open
local items = readItems(4, renewItem)
-- A retry was charged at the first try. It renews again, and its event has the later expiry.
local refused = request('RESERVE', (flags.isRepeated or shares) and 0 or #items, items, once)
if refused then
  return refused
end

-- Returns the reply that refuses a request whose leases are too long; nil if none is.
local function tooLong(ofRequest)
  for i, item in ipairs(ofRequest) do
    local fault = tenant.tooLong and tenant.tooLong(tonumber(item.ttlMs))
    if fault then
      return { 'REFUSED', string.format('[%d].ttlSeconds %s', i - 1, fault) }
    end
  end
end

refused = not shares and tooLong(items)
if refused then
  return refused
elseif shares then
  shares.divide(items)
end

-- Returns true if the item's request of a shared call is refused.
local function isRefused(share)
  local why = not share.isCharged and not share.refused and tooLong(share.items)
  share.refused = why and function()
    return why
  end or share.refused
  return shares.isRefused(share, 'RESERVE', flags.isRepeated and 0 or #share.items)
end

-- Returns true if the caller may renew a reservation without its token. What nobody has claimed has no lease yet.
local function mayRenew(reservation)
--@include mayForce
--@include unclaimed
  return reservation.token ~= UNCLAIMED and mayForce(reservation.owner)
end

local reply = { 'OK', charged.quota }
local overBudget = eachItem(items, function(item)
  if shares and isRefused(item.share) then
    reply[#reply + 1] = {}
    return
  end
  local reservation, isHeld = reservationOf(item.resource, item.requester)
  if not reservation then
    reply[#reply + 1] = { isHeld and 'DOESNT_OWN_RESERVATION' or 'NOT_RESERVED' }
  elseif reservation.token ~= item.token and not mayRenew(reservation) then
    reply[#reply + 1] = { 'INVALID_RELEASE_TOKEN' }
  else
    local renewed = copyWith(reservation, { expiresAt = reservation.session and endOf(reservation) or nowMs + item.ttlMs })
    if not reservation.session then
      setRecord(reservation.slot, renewed)
    end
    reply[#reply + 1] = { 'RENEWED', renewed.expiresAt }
    emitRenewed(renewed)
    spendOnEvent(item, renewed.details)
  end
end)
if overBudget then
--@include tooMuch
  return tooMuch(overBudget)
end
refused = askForIndex(ARGV[3])
if refused then
  return refused
end
tellTaken(items, reply, 3)
reply[2] = charged.quota
finish(asTexts(reply, 3), charged.usage)
if shares then
  return shares.tell(reply)
end
return once and once.keep(reply) or reply
