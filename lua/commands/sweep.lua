--[[
  Ends what is due of a tenant, at most so many reservations, and says when the next is due (decisions, section 7); then
  unlinks what epochs before the present one left, a key a call. The caller may raise the tenant's time in the expiry index to
  what is returned, if nobody lowered it in the meantime.

  KEYS[1]  the tenant's hash

  ARGV[1]  how many reservations at most

  Returns {'OK', ended, next due ms}: -1 where nothing will be due; or {'AGAIN', ended} where there is more to do now.
]]
--@include clock
--@include tenant
local keyLabel = ''
--@include publish
--@include codec
--@include slots
local before = count
local more = expire(tonumber(ARGV[1]))
commit()
if more then
  return { 'AGAIN', before - count }
end

local emptied = tonumber(redis.call('HGET', KEYS[1], 'emptied') or 0)
if emptied < tonumber(epoch) then
  -- The pools first: their set alone tells which bitmaps there are.
  local pool = redis.call('SPOP', base .. 'pools:' .. emptied)
  if pool then
    redis.call('UNLINK', base .. 'bits:' .. emptied .. ':' .. pool)
  else
    for _, what in ipairs({ 'slots:', 'due:', 'assigned:', 'loose:' }) do
      if redis.call('UNLINK', base .. what .. emptied) == 1 then
        return { 'AGAIN', before - count }
      end
    end
    redis.call('HSET', KEYS[1], 'emptied', emptied + 1)
  end
  return { 'AGAIN', before - count }
end
if indexed ~= nextDue then
  redis.call('HSET', KEYS[1], 'indexed', nextDue)
end
return { 'OK', before - count, nextDue == math.huge and -1 or nextDue }
