-- Checks the modules of lua/: `npm run lint`. src/redis/bundle.ts gives them these names.
std = {
  read_globals = {
    'redis', 'string', 'table', 'math', 'struct', 'cjson', 'cmsgpack', 'bit', 'tonumber', 'tostring', 'ipairs', 'pairs',
    'next', 'unpack', 'error', 'pcall', 'require',
  },
}
max_comment_line_length = 120
max_code_line_length = false
for _, folder in ipairs({ 'definitions', 'events', 'history', 'limits', 'reservations', 'sessions', 'slots' }) do
  files['lua/' .. folder] = { max_cyclomatic_complexity = 15, max_code_line_length = 120 }
end
