-- Checks the modules of lua/: `npm run lint`. src/redis/bundle.ts gives them these names.
std = {
  read_globals = {
    'redis', 'string', 'table', 'math', 'struct', 'cjson', 'cmsgpack', 'bit', 'tonumber', 'tostring', 'ipairs', 'pairs',
    'next', 'unpack', 'error', 'pcall', 'setmetatable', 'require',
  },
}
max_line_length = 120
max_cyclomatic_complexity = 15
