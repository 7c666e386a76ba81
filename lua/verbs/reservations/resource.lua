--[[
  Returns what the page of a resource shows: its definition, who holds some of its slots, what a reservation of it takes
  along, and who waits for it. The name may be that of a slot, a path, or a name that means nothing.

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

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  name
  ARGV[3]  index of the first slot to look at, if it is a pool
  ARGV[4]  maximum number of slots

  Returns {'OK', head, blockers, holds, slots, plan, tickets}:
  head      lines: the resource ('' the name means nothing), the slot ('' the name is not that of a slot), 1 if it is
            registered, else 0, capacity, 1 if it is a group, else 0, number of held slots, number of tickets that wait
            for it or one of its slots, path of its ancestors ('>' between, '' none), and each label
  blockers  the blockers that it declares
  holds     the slots that are held, each as reservations/texts.lua describes it. One that is held SHARED is followed by
  the
            reservations of the first who hold it
  slots     the number of slots that the reply covers: one call does a limited amount of work
  plan      an item for each of the first entries of its plan without itself: lines of ancestor or blocker, the resource
            or slot, capacity (0 if the name is not valid), number of held slots, the owner ('' none, or it has
            several slots)
  tickets   {place, row, ...}: the first that wait for it, or want it and wait for something else, in the order of the
            queue; place: the resource or slot; rows as in verbs/waiting/waiting.lua

  Or {'NO_KEY'}, {'SUSPENDED'}, {'NO_TENANT'}, {'AGAIN'}.
]]
local batch = require('frame/batch')
local freeSlots = require('slots/freeSlots')
local labelling = require('definitions/labels')
local naming = require('definitions/names')
local planning = require('reservations/plan')
local reading = require('frame/reading')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local slotMap = require('slots/slots')
local tenant = require('frame/tenant')
local texts = require('reservations/texts')
local work = require('frame/work')

return function(_, args)
  local refused = reading.look('read')
  if refused then
    return refused
  end
  local MAX_SHARES, STEP, MAX_PIECE_WORK, MAX_PLAN, MAX_TICKETS = 20, 20, 2000, 100, 50
  local name, from, limit = args[2], tonumber(args[3]), tonumber(args[4])
  batch.readMeanings({ name })
  local resource, slot = naming.resolve(name)
  local at = resource or name
  local own = resource and registry.definition(resource)

  local entries = {}
  if own then
    local plan = { entries = {}, seen = {}, bytes = 0 }
    planning.addTo(plan, resource, slot, '', 'own')
    for _, entry in ipairs(plan.entries) do
      if entry.role ~= 'own' and #entries < MAX_PLAN then
        local entryName = entry.slot or entry.resource
        local meant = not entry.slot and not entry.invalid and registry.definition(entry.resource)
        local isPool = meant and meant.pooled
        local record = not isPool and not entry.invalid and slotMap.recordAt(entryName)
        work.spend(3)
        entries[#entries + 1] = table.concat({
          entry.role, entryName, entry.invalid and 0 or meant and meant.capacity or 1,
          isPool and freeSlots.heldOf(entry.resource) or record and 1 or 0, record and record.owner or '',
        }, '\n')
      end
    end
  end

  -- The names of the slots to look at. A pool may be held under its plain name, from before it was registered, and so
  -- may a group.
  local names = {}
  if from == 0 then
    names[1] = at
  end
  if own and own.capacity > 1 then
    for index = from, math.min(from + limit, own.capacity) - 1 do
      names[#names + 1] = at .. '_' .. index
    end
  end

  local holds = {}

  -- Adds the reservations of those who hold a slot SHARED.
  local function addShares(held)
    local shares = {}
    for requester in string.gmatch(slotMap.recordAt(held).holders or '', '[^\n]+') do
      if #shares < MAX_SHARES then
        shares[#shares + 1] = shared.shareOf(held, requester)
      end
    end
    slotMap.readSlots(shares)
    for _, share in ipairs(shares) do
      local one = slotMap.recordAt(share)
      if one then
        holds[#holds + 1] = texts.holdText(held, 1, one)
      end
    end
  end

  -- At least once: a reply that covers no slot would be taken for the last one.
  local covered = 0
  while covered < #names and (covered == 0 or work.done < MAX_PIECE_WORK) do
    local last = math.min(covered + STEP, #names)
    slotMap.readSlots({ unpack(names, covered + 1, last) })
    for i = covered + 1, last do
      local record = slotMap.recordAt(names[i])
      if record then
        holds[#holds + 1] = texts.slotText(names[i])
        if shared.isSharedHold(names[i], record) then
          addShares(names[i])
        end
      end
    end
    covered = last
  end

  local rows, waiting = {}, 0
  if tenant.queueText then
    if not tenant.queue then
      tenant.openQueue()
    end
    rows, waiting = tenant.queue.firstInLine(at, own and own.capacity > 1, MAX_TICKETS)
  end
  local path = own and naming.pathOf(resource) or ''
  local head = {
    resource or '', slot or '', own and 1 or 0, own and own.capacity or 1, own and own.isGroup and 1 or 0, freeSlots.heldOf(at), waiting,
    string.sub(path, 1, math.max(0, #path - #at - 1)), unpack(own and labelling.labelsOf(resource) or {}),
  }
  return {
    'OK', table.concat(head, '\n'), own and naming.blockersOf(resource) or {}, holds,
    tostring(from == 0 and covered - 1 or covered), entries, rows,
  }
end
