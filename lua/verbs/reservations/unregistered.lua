--[[
  Returns one page of the names that are held without being registered, unordered. A name can be in two pages. A page
  ends after a number of held slots or bytes.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  cursor returned with the previous page; '0' for the first page
  ARGV[3]  approximate number of slots to read

  Returns {'OK', cursor, name, ...}. Cursor '0' means that this was the last page. Or a refusal (frame/admission.lua).
]]
local codec = require('slots/codec')
local reading = require('frame/reading')
local registry = require('definitions/definitions')
local shared = require('slots/shared')
local tenant = require('frame/tenant')

return function(keys, args)
  local refused = reading.look('read')
  if refused then
    return refused
  end
  -- A record may be tens of kilobytes long, so few are read at a time.
  local STEP, MAX_BYTES = 25, 262144
  local cursor, looked, bytes, reply = args[2], 0, 0, { 'OK', '0' }
  repeat
    local page = redis.call('HSCAN', keys.slots, cursor, 'COUNT', STEP)
    cursor = page[1]
    local rows, names, packed = page[2], {}, {}
    -- Scanning an empty part of the hash costs time too.
    looked = looked + math.max(STEP / 5, #rows / 2)
    for i = 1, #rows, 2 do
      bytes = bytes + #rows[i] + #rows[i + 1]
      if not shared.isShare(rows[i]) then
        names[#names + 1] = rows[i]
        packed[rows[i]] = rows[i + 1]
      end
    end
    registry.readDefinitions(names)
    for _, name in ipairs(names) do
      local isRegistered = tenant.definitions > 0 and registry.definition(name)
      if not isRegistered and codec.unpackRecord(name, packed[name]).pool == '' then
        reply[#reply + 1] = name
      end
    end
  until cursor == '0' or looked >= tonumber(args[3]) or bytes > MAX_BYTES
  reply[2] = cursor
  return reply
end
