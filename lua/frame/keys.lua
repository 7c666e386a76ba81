-- The keys of the call by their names (src/redis/keys.ts): keys.slots is '{<tenant>}:slots'. call.start() sets them.
return {}
