-- Makes the conditions of slots (slots/marks.lua) follow from changes of definitions (docs/specification.md#condition):
-- those of slots beyond a new capacity are dropped, and all when a resource is deleted, becomes a group or a pool, or
-- ceases to be one. If slots become dirty after use, all are dirty that are not out of service; if they no longer do,
-- those that are dirty stay so.
local admission = require('frame/admission')
local conditions = require('slots/conditions')
local history = require('history/ended')
local marks = require('slots/marks')
local pools = require('slots/pools')
local redefining = require('definitions/redefine')
local registry = require('definitions/definitions')
local slotMap = require('slots/slots')
local store = require('slots/markStore')
local work = require('frame/work')
local dropping = {}
local byteAt, floor = string.byte, math.floor
-- Of slots whose condition is dropped, so many get an entry in the history, and lose their details at once; what is
-- left of details is overwritten when such a slot gets a condition again.
local MAX_PAST, MAX_DETAILS = 50, 1000
-- bits[byte]: how many bits are set.
local bits

local function countBits(text)
  if not bits then
    bits = { [0] = 0 }
    for byte = 1, 255 do
      bits[byte] = bits[floor(byte / 2)] + byte % 2
    end
  end
  local sum = 0
  for i = 1, #text do
    sum = sum + bits[byteAt(text, i)]
  end
  return sum
end

-- Combines the bytes of bitmaps, byte by byte. Takes a function of a byte of each; missing ones are 0.
local function combine(one, other, length, run)
  local out = {}
  for i = 1, length do
    out[i] = string.char(run(byteAt(one, i) or 0, byteAt(other, i) or 0))
  end
  return pools.trimmed(table.concat(out))
end

-- Returns the bits of a chunk that the slots below a capacity have.
local function below(text, chunk, capacity)
  local left = capacity - chunk * pools.CHUNK_SLOTS
  if left >= pools.CHUNK_SLOTS then
    return text
  elseif left <= 0 then
    return ''
  end
  local whole, rest = floor(left / 8), left % 8
  local last = byteAt(text, whole + 1)
  text = string.sub(text, 1, whole) ..
    (last and rest > 0 and string.char(bit.band(last, 256 - bit.rshift(256, rest))) or '')
  return pools.trimmed(text)
end

local function both(one, other)
  return bit.band(one, other)
end

local function neither(one, other)
  return 255 - bit.bor(one, other)
end

-- Returns the bits of a chunk of slots that are dirty.
local function dirtOf(isDirtied, chunk, capacity, map)
  if not isDirtied then
    return below(map.dirty, chunk, capacity)
  end
  return below(combine(map.out, map.clean, pools.CHUNK_BYTES, neither), chunk, capacity)
end

-- Calls visit(number) for each bit of a chunk, until it returns false.
local function eachBit(text, chunk, visit)
  for at = 1, #text do
    local byte = byteAt(text, at)
    for offset = 0, byte == 0 and -1 or 7 do
      if bit.band(byte, bit.rshift(128, offset)) ~= 0 and
        visit(chunk * pools.CHUNK_SLOTS + (at - 1) * 8 + offset) == false then
        return
      end
    end
  end
end

-- Moves the details of slots to where they belong now, or drops them, as long as `left` allows.
local function moveDetails(change, chunk, text, from)
  eachBit(change.left > 0 and text or '', chunk, function(slotNumber)
    if change.left == 0 then
      return false
    end
    change.left = change.left - 1
    work.spend(0.5)
    local slot = change.isPool and pools.slotAt(change.name, slotNumber) or change.name
    local stays = not change.isDropped and slotNumber < change.after.capacity
    change.moved[#change.moved + 1] = { slot = slot, from = from, stays = stays }
  end)
end

-- Ends the time out of service of slots that are dropped.
local function endOut(change, chunk, gone)
  eachBit(change.past > 0 and gone or '', chunk, function(slotNumber)
    if change.past == 0 then
      return false
    end
    change.past = change.past - 1
    local slot = change.isPool and pools.slotAt(change.name, slotNumber) or change.name
    local packed = store.at('conditions', '\3' .. slot)
    history.noteOut(conditions.nextVersion(), change.name, slot, packed, admission.actorName())
  end)
end

-- Changes a chunk of the bitmaps.
local function followChunk(change, chunk)
  local name, before, after = change.name, change.before, change.after
  local map = marks.mapOf(name, chunk)
  local capacity = change.isDropped and 0 or after.capacity
  local dirt = dirtOf(before.isDirtied, chunk, before.capacity, map)
  local now = { out = below(map.out, chunk, capacity), dirty = '', clean = '' }
  if not change.isDropped and not after.isDirtied then
    now.dirty = below(dirt, chunk, capacity)
  elseif not change.isDropped and before.isDirtied then
    now.clean = below(map.clean, chunk, capacity)
  end
  if now.out ~= map.out then
    conditions.noteOutChanged()
    local gone = combine(map.out, now.out, #map.out, function(was, is)
      return was - is
    end)
    endOut(change, chunk, gone)
    moveDetails(change, chunk, gone, 'conditions')
  end
  if change.movesDirt or below(dirt, chunk, capacity) ~= dirt then
    moveDetails(change, chunk, dirt, before.isDirtied and 'clean' or 'conditions')
  end
  marks.putMap(name, chunk, now)
  for kind, text in pairs(now) do
    change.counts[kind] = change.counts[kind] + countBits(text)
  end
  work.spend(20)
end

-- Counts the slots of a pool that are held and not ready.
local function countHeld(name, after)
  local pool = pools.poolOf(name)
  pool.heldOut, pool.heldDirty, pool.isLong = 0, 0, after and after.isDirtied
  pool.isChanged = true
  pools.lower(pool, 0)
  slotMap.arePoolsTouched = true
  if not after or not after.hasConditions or after.capacity == 1 or pool.held == 0 then
    return
  end
  local last, fields = floor((after.capacity - 1) / pools.CHUNK_SLOTS), {}
  for chunk = 0, last do
    fields[#fields + 1] = pools.chunkField(name, chunk)
  end
  pools.readChunks(fields)
  for chunk = 0, last do
    local held = pools.chunkAt(pools.chunkField(name, chunk))
    if held ~= '' then
      local map = marks.mapOf(name, chunk)
      local dirt = dirtOf(after.isDirtied, chunk, after.capacity, map)
      pool.heldOut = pool.heldOut + countBits(combine(held, map.out, #held, both))
      pool.heldDirty = pool.heldDirty + countBits(combine(held, dirt, #held, both))
      work.spend(20)
    end
  end
end

-- Moves the details of slots to the hash that has those of dirty slots now, or drops them. Takes a list of tables:
-- slot, from (a hash), stays.
local function writeMoved(moved, isDirtied)
  local fields, to = { conditions = {}, clean = {} }, isDirtied and 'clean' or 'conditions'
  for _, one in ipairs(moved) do
    if one.stays and one.from ~= to then
      table.insert(fields[one.from], '\3' .. one.slot)
      table.insert(fields[to], '\3' .. one.slot)
    end
  end
  store.read('conditions', fields.conditions)
  store.read('clean', fields.clean)
  for _, one in ipairs(moved) do
    local field = '\3' .. one.slot
    if one.stays and one.from ~= to then
      store.put(to, field, store.at(one.from, field))
    end
    if not one.stays or one.from ~= to then
      store.put(one.from, field, '')
    end
  end
end

-- Takes the definition of a name before the change, and after it, false for none.
local function follow(name, before, after)
  local isPool = before and before.capacity > 1
  local change = {
    name = name, before = before, after = after, isPool = isPool, left = MAX_DETAILS, past = MAX_PAST, moved = {},
    isDropped = not after or after.isGroup or isPool ~= (after.capacity > 1),
    movesDirt = after and before and before.isDirtied ~= after.isDirtied, counts = { out = 0, dirty = 0, clean = 0 },
  }
  if before and before.hasConditions then
    local last = floor((before.capacity - 1) / pools.CHUNK_SLOTS)
    marks.readAll(name, 0, last)
    for chunk = 0, last do
      followChunk(change, chunk)
    end
    writeMoved(change.moved, after and after.isDirtied)
  end
  marks.setCounts(name, change.counts)
  if after then
    after.hasConditions = after.isDirtied or change.counts.out + change.counts.dirty > 0
  end
  countHeld(name, after)
  if after and after.hasConditions and after.capacity == 1 then
    conditions.markHeld(name, name)
  end
end

-- Follows the definitions that this call has changed. Call it when the changes of slots are made, and before they are
-- written.
function dropping.followDefinitions()
  for _, name in ipairs(redefining.redefinedOrder) do
    local before, after = redefining.redefined[name], registry.definition(name)
    if before and before.hasConditions or after and after.hasConditions then
      local isSame = before and after and before.capacity == after.capacity and before.isDirtied == after.isDirtied and
        not after.isGroup
      if not isSame then
        follow(name, before, after)
      end
    end
  end
end

return dropping
