-- Emits the events of bookings (docs/specification.md#events): BOOKED, BOOKING_CHANGED, BOOKING_CANCELLED and
-- BOOKING_DELAYED. An id is told as callers know it, and times as texts.
local events = require('events/events')
local isoTime = require('frame/isoTime')
local work = require('frame/work')
local bookingEvents = {}
local DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
local floor = math.floor

-- Returns an id of 22 digits of base64url as a UUID.
function bookingEvents.uuidOf(id)
  local hex, bits, value = {}, 0, 0
  for i = 1, 22 do
    value, bits = value * 64 + string.find(DIGITS, string.sub(id, i, i), 1, true) - 1, bits + 6
    while bits >= 4 and #hex < 32 do
      bits = bits - 4
      hex[#hex + 1] = string.format('%x', floor(value / 2 ^ bits))
      value = value % 2 ^ bits
    end
  end
  return (string.gsub(table.concat(hex), '^(%x%x%x%x%x%x%x%x)(%x%x%x%x)(%x%x%x%x)(%x%x%x%x)', '%1-%2-%3-%4-'))
end

-- Emits an event of a booking. Takes its type and explanation, the id, the record (bookings/records.lua), and who did
-- it, nil the service.
function bookingEvents.emit(type, explanation, id, record, actor)
  if not events.isWanted(type, record.requester) then
    return
  end
  work.spend(20)
  local resourceType = record.type == '' and 'UserDefined' or record.type
  events.add('{"type":"' .. type .. '","requestType":"BOOK","explanation":"' .. explanation ..
    '","resourceType":' .. events.quote(resourceType) ..
    ',"apiKeyLabel":' .. (record.label == '' and 'null' or events.quote(record.label)) ..
    (type == 'BOOKING_DELAYED' and '' or ',"actor":' .. (actor and events.quote(actor) or 'null')) ..
    ',"resource":' .. events.quote(record.slot) .. ',"requester":' .. events.quote(record.requester) ..
    ',"booking":"' .. bookingEvents.uuidOf(id) .. '","start":"' .. isoTime.of(record.start * 1000) ..
    '","end":"' .. isoTime.of(record['end'] * 1000) .. '"' ..
    (record.note and ',"note":' .. events.quote(record.note) or '') .. '}', type, record.requester)
end

return bookingEvents
