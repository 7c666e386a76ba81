-- The limits of the tenant's tier, as this instance is configured: the loader (src/redis/scripts.ts) puts one branch
-- `if tier == '<name>' then limits = { ... }` for each tier in place of `--@tiers`.
--@include tenant
local NO_LIMIT = 9007199254740992 -- 2 ^ 53, more than any count
-- writesPerMinute, writesPerDay, reservations, streams, definitions
local limits
local tier = tenant.tier
--@tiers
