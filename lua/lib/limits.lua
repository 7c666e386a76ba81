-- The limits of the tenant's tier, as this instance is configured. The loader (src/redis/scripts.ts) replaces
-- `--@tiers` by a branch for each tier: `if tier == '<name>' then limits = { ... }`.
--@include tenant
local NO_LIMIT = 9007199254740992 -- 2 ^ 53, more than any count
-- Fields: readsPerMinute, writesPerMinute, writesPerDay, reservations, streams, definitions, bytes; history: entries of
-- the history that Redis keeps, 0 none.
local limits
local tier = tenant.tier
--@tiers
