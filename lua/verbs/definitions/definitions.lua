--[[
  Returns one page of the tenant's definitions, in byte order of their names. A page ends after a number of definitions
  or an amount of work.

  ARGV[1]  the credential (frame/admission.lua)
  ARGV[2]  number of reads to charge (limits/quota.lua)
  ARGV[3]  the last name of the page before; '' for the first page
  ARGV[4]  maximum number of definitions
  ARGV[5]  <key>=<value>: only the definitions with this label; '' all

  Returns {'OK', quota (limits/quota.lua), 1 if this is the last page, else 0, number of definitions on all pages, the
  last name of this page, item, ...}. An item is a text with a line for each of: name, capacity, path of its ancestors
  ('' none), 1 if it is a group, else 0, number of labels, each label, and each blocker. Or a refusal
  (frame/admission.lua).
]]
local admission = require('frame/admission')
local keys = require('frame/keys')
local naming = require('definitions/names')
local quota = require('limits/quota')
local registry = require('definitions/definitions')
local tenant = require('frame/tenant')
local work = require('frame/work')

local MAX_BYTES, MAX_PAGE_WORK = 262144, 3500

-- Returns the names of a page, and the number of definitions on all pages.
local function namesOfPage(after, limit, label)
  local prefix, to, total = 'n', '(o', tenant.definitions
  if label ~= '' then
    prefix, to = 'l' .. label .. '\n', '(l' .. label .. '\11'
    total = redis.call('ZLEXCOUNT', keys.index, '[' .. prefix, to)
  end
  local names = redis.call('ZRANGE', keys.index, '(' .. prefix .. after, to, 'BYLEX', 'LIMIT', 0, limit)
  for i, member in ipairs(names) do
    names[i] = string.sub(member, #prefix + 1)
  end
  return names, total
end

-- Returns true if a definition has the wanted label. The index can have it for one that no longer has.
local function isWanted(name, label)
  for _, one in ipairs(label ~= '' and naming.labelsOf(name) or {}) do
    if one == label then
      return true
    end
  end
  return label == ''
end

-- Returns the item of a definition.
local function describe(name)
  local one, path, labels = registry.definition(name), naming.pathOf(name), naming.labelsOf(name)
  local above = string.sub(path, 1, math.max(0, #path - #name - 1))
  local parts = { name, one.capacity, above, one.isGroup and 1 or 0, #labels, unpack(labels) }
  for _, blocker in ipairs(naming.blockersOf(name)) do
    parts[#parts + 1] = blocker
  end
  return table.concat(parts, '\n')
end

return function(_, args)
  local refused = admission.admit('definitions')
  if refused then
    return refused
  end
  local misfit = quota.chargeReads(tonumber(args[2]))
  if misfit then
    return quota.refuse(unpack(misfit))
  end
  local limit, label = tonumber(args[4]), args[5]
  local names, total = namesOfPage(args[3], limit, label)
  registry.readDefinitions(names)
  local reply, bytes = { 'OK', quota.readsQuota, #names < limit and 1 or 0, total, '' }, 0
  for i, name in ipairs(names) do
    reply[5] = name
    if isWanted(name, label) then
      local item = describe(name)
      bytes = bytes + #item
      work.spend(4 + #item / 100)
      reply[#reply + 1] = item
    end
    if (bytes > MAX_BYTES or work.done > MAX_PAGE_WORK) and i < #names then
      reply[3] = 0
      break
    end
  end
  return reply
end
