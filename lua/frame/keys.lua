-- The keys of the call by their names (src/redis/keys.ts): keys.slots is '{<tenant>}:slots'. frame/call.lua sets them.
return {}
