-- The walks of agenda.lua: which tickets each of them goes through.
local agenda = require('waiting/agenda')
local keys = require('frame/keys')
local lines = require('waiting/lines')
local needs = require('waiting/needs')
local seen = require('waiting/seen')
local slotMap = require('slots/slots')
local state = require('waiting/state')
local tickets = require('waiting/tickets')
local turns = require('waiting/turns')
local work = require('frame/work')
local walks = {}

-- Of the tickets that wait in a line, or of a requester, so many are looked at; of those that wait for a match, fewer.
local MAX_LOOKS, MAX_MATCH_LOOKS = 64, 16

-- Returns the first member with a prefix that is not before a place, among the first `limit` of them.
local function firstFrom(prefix, from, limit)
  local n = lines.nthOf(prefix, 1) and lines.placeIn(lines.ranges[prefix], from) or limit + 1
  while n <= limit do
    local rest = lines.nthOf(prefix, n)
    if not rest or rest >= from then
      return rest
    end
    n = lines.placeIn(lines.ranges[prefix], from)
  end
end

local function earlier(one, other)
  return (not one or other and other < one) and other or one
end

-- firstOf[kind](name, from): the order of the first ticket of a walk that is not before a place; nil for none.
local firstOf

-- known[requester]: the orders of its first tickets, sorted, while it has as many members.
local known

-- Returns the orders of the next tickets that wait, behind a place ('(') or from it on ('['), as they are stored.
function walks.ordersFrom(bracket, from)
  local PAGE = 20
  local orders = redis.call('ZRANGE', keys.lines, bracket .. '\1' .. from, '(\2', 'BYLEX', 'LIMIT', 0, PAGE)
  work.spend(3 + #orders / 4)
  for i, member in ipairs(orders) do
    orders[i] = string.sub(member, 2)
  end
  tickets.readTickets(orders)
  return orders
end

-- The page of orders to which a walk through all tickets has come.
local page

-- Returns true if something of what a walk is for can be had.
function walks.isOpen(kind, name)
  if kind ~= 'f' and kind ~= 'j' or string.sub(name, 1, 1) == lines.MATCH or needs.freeAt(name) > 0 then
    return true
  elseif kind == 'j' then
    return seen.isJoinable(name)
  end
  local record = slotMap.recordAt(name)
  return record and seen.isSystem(record.owner)
end

-- Forgets that something of a line is kept if that is not free any more, or nobody waits for it.
local function endWalk(kind, name)
  if
    (kind == 'f' or kind == 'j') and lines.isLineKept(name) and
    not (walks.isOpen('j', name) and firstOf.f(name, agenda.FRONT))
  then
    lines.setMember('\4', name, false)
    state.hasKept = lines.nthOf('\4', 1) ~= nil
  end
end

-- Returns the order that follows one.
local function orderAfter(order)
  return string.sub(order, 1, 1) .. struct.pack('>I7', struct.unpack('>I7', order, 2) + 1)
end

-- Moves the first walk on. Returns its kind and the order of the ticket to look at; nil if there is none before other
-- walks go on.
function walks.moveOn()
  local walk = lines.nthOf('\5', 1)
  local from, kind, name = string.sub(walk, 1, 8), string.sub(walk, 9, 9), string.sub(walk, 10)
  work.spend(3)
  lines.setMember('\5', walk, false)
  local order = walks.isOpen(kind, name) and firstOf[kind](name, from)
  local other = lines.nthOf('\5', 1)
  if not order then
    endWalk(kind, name)
  elseif other and other < order then
    lines.setMember('\5', order .. kind .. name, true)
  else
    lines.setMember('\5', orderAfter(order) .. kind .. name, true)
    return kind, order
  end
end

function walks.open()
  firstOf = {}
  firstOf.T = function(name, from)
    local first = firstFrom(name .. '\nk', from, math.huge)
    for _, one in ipairs(state.hasKept and turns.frontOf(name) or {}) do
      if one.ticket.order >= from then
        return earlier(first, one.ticket.order)
      end
    end
    return first
  end
  firstOf.f = function(name, from)
    local limit, first = string.sub(name, 1, 1) == lines.MATCH and MAX_MATCH_LOOKS or MAX_LOOKS, nil
    for _, kind in ipairs({ '\nw', '\nv', '\nf' }) do
      first = earlier(first, firstFrom(name .. kind, from, limit))
    end
    return first
  end
  firstOf.j = firstOf.f
  known = {}
  firstOf.r = function(name, from)
    local prefix = '\2' .. name .. '\n'
    local first, orders = lines.nthOf(prefix, 1), known[name]
    if not (first and orders and orders.count == #lines.ranges[prefix]) then
      orders = {}
      for n = 1, MAX_LOOKS do
        local rest = lines.nthOf(prefix, n)
        orders[n] = rest and string.sub(rest, -8)
      end
      table.sort(orders)
      work.spend(1 + #orders / 4)
      orders.count = first and #lines.ranges[prefix]
      known[name] = orders
    end
    return orders[lines.placeIn(orders, from)]
  end
  firstOf.s = function(name, from)
    return name >= from and name or nil
  end
  firstOf.O = firstOf.s
  page = {}
  firstOf.a = function(_, from)
    if not (page[1] and page[1] < from and from <= page[#page]) then
      page = walks.ordersFrom('[', from)
    end
    return page[lines.placeIn(page, from)]
  end
end

return walks
