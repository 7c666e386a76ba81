-- The keys of the call by their names (src/redis/verbs.ts): keys.slots is '{<tenant>}:slots'. frame/call.lua sets them.
return {}
