/**
 * Puts the Lua modules of lua/ into one text: a library of Redis Functions, or a script where functions are forbidden.
 * A module is a file: it names others by `local x = require('frame/tenant')`, and ends with `return x`.
 */
import { hash } from 'node:crypto';

/** The globals that Lua has while a function runs. While a library loads, most of them do not exist. */
const GLOBALS =
  'redis, string, table, math, struct, cjson, cmsgpack, tonumber, tostring, ipairs, pairs, next, unpack, error, pcall, ' +
  'setmetatable';

/** Verbs that run while Redis is full: they free more than they write. */
const FREEING = ['unreserve'];

/**
 * A verb of the library. The module `verbs/<name>` carries out plain requests. It returns the reply; or nil and what it
 * has read of the tenant, if `general` must carry out the request.
 */
export interface Verb {
  readonly name: string;
  /** Lua that uses KEYS, ARGV and `handed`: what the module has read, nil nothing. */
  readonly general: string;
}

export interface Library {
  readonly name: string;
  readonly lua: string;
  /** Returns the name of a verb's function. */
  readonly functionOf: (verb: string) => string;
}

/** The names of the modules that some need, in the order in which they can run. */
function needed(modules: ReadonlyMap<string, string>, names: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name)) return;
    for (const [, other = ''] of sourceOf(modules, name).matchAll(/\brequire\('([\w/]+)'\)/g)) add(other);
    found.add(name);
  };
  names.forEach(add);
  return [...found];
}

function sourceOf(modules: ReadonlyMap<string, string>, name: string): string {
  const lua = modules.get(name);
  if (lua === undefined) throw new Error(`lua/${name}.lua does not exist`);
  return lua;
}

const made = (modules: ReadonlyMap<string, string>, names: readonly string[]): string =>
  needed(modules, names)
    .map((name) => `made['${name}'] = (function()\n${sourceOf(modules, name)}\nend)()\n`)
    .join('');

/**
 * Makes a library. Its name and those of its functions end with its digest, so versions live side by side.
 * @param modules name → source
 * @throws Error if a module does not exist
 */
export function libraryOf(modules: ReadonlyMap<string, string>, verbs: readonly Verb[]): Library {
  const names = verbs.map(({ name }) => `verbs/${name}`);
  // They come before the globals become locals: a function may use 60 locals of those around it.
  const generals = verbs.map(({ name, general }) => `local function ${name}(KEYS, ARGV, handed)\n${general}\nend\n`);
  const body = `local register = redis.register_function
${generals.join('')}local function globals() return ${GLOBALS} end
local ${GLOBALS}
local made = {}
local function require(name) return made[name] end
local function begin()
  ${GLOBALS} = globals()
${made(modules, names)}end
`;
  const digest = hash('sha256', body).slice(0, 16);
  const functionOf = (verb: string) => `hf_${verb}_${digest}`;
  const registered = verbs.map(
    ({ name }) => `register{
  function_name = '${functionOf(name)}', flags = { ${FREEING.includes(name) ? "'allow-oom'" : ''} },
  callback = function(keys, args)
    if not redis then begin() end
    local reply, handed = made['verbs/${name}'](keys, args)
    return reply or ${name}(keys, args, handed)
  end,
}
`,
  );
  return { name: `hf_${digest}`, lua: `#!lua name=hf_${digest}\n${body}${registered.join('')}`, functionOf };
}

/**
 * Makes the script of a verb, for a Redis that forbids functions.
 * @throws Error if a module does not exist
 */
export const scriptOf = (modules: ReadonlyMap<string, string>, { name, general }: Verb): string =>
  `local reply, handed = (function()
local made = {}
local function require(name) return made[name] end
${made(modules, [`verbs/${name}`])}return made['verbs/${name}']
end)()(KEYS, ARGV)
if reply then
  return reply
end
${general}`;
