-- Requests that share a call which reads (src/engine/coalesce.ts). Each is charged and refused on its own, as if it had
-- a call to itself. ARGV[2] is the number of reads of each, with commas between; of only one if the call is not shared.
--@include reads
local isSharedCall = not tonumber(ARGV[2])
-- The numbers of the refused ones, from 0 on, each with the arguments of refuse().
local misfits = {}
-- isMisfit[i]: the i-th item of the call belongs to a refused one.
local isMisfit = {}

-- Charges the requests. Returns nil; or, if the call has only one and it does not fit, the arguments of refuse().
local function chargeSharers()
  if not isSharedCall then
    return chargeReads(tonumber(ARGV[2]))
  end
  local total = 0
  for cost in string.gmatch(ARGV[2], '%d+') do
    total = total + cost
  end
  if not chargeReads(total) then
    return nil
  end
  local number, last = 0, 0
  for cost in string.gmatch(ARGV[2], '%d+') do
    local misfit = chargeReads(tonumber(cost))
    if misfit then
      misfits[#misfits + 1] = { number, misfit }
      for i = last + 1, last + cost do
        isMisfit[i] = true
      end
    end
    number, last = number + 1, last + cost
  end
end

-- Adds to the reply of a shared call which requests are refused: JSON, as tell() of shares.lua does.
local function tellMisfits(reply, openRare)
  if isSharedCall then
    local refusals = {}
    for i, misfit in ipairs(misfits) do
      refusals[i] = { misfit[1], unpack(openRare().refuse(unpack(misfit[2]))) }
    end
    reply[#reply + 1] = refusals[1] and cjson.encode(refusals) or ''
  end
  return reply
end
