-- The matches that tickets wait for (docs/specification.md#any-resource-that-fits). They are few, since each is
-- compared with every labelled resource that becomes free.
--@include reserveOne
--@include waiting/lines
local MAX_MATCHES = 100

-- Activates the lines of the matches that a resource fits which has a free slot again. activate(line)
-- does so.
local function activateMatches(name, activate)
  local own = tenant.labelled and nthOf('\9', 1) and definition(name)
  if not own or not own.hasLabels then
    return
  end
  if not tenant.fitsMatch then
    tenant.openMatch()
  end
  for n = MAX_MATCHES, 1, -1 do
    local text, match = string.match(nthOf('\9', n) or '', '^([^\n]*)\n(.*)$')
    if text and tenant.fitsMatch(match, name) then
      activate(MATCH .. text)
    end
  end
end
