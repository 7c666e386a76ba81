/**
 * Puts the Lua modules of lua/ into one text: a library of Redis Functions, or a script where functions are forbidden.
 * A module is a file: it names others by `local x = require('frame/tenant')`, and ends with `return x`. It is made when
 * it is first required.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bitOf, EVENT_TYPES } from '../domain/eventTypes.ts';
import { TIERS, type TierLimits, type TierTable } from '../domain/tiers.ts';
import { rowOf } from './verbs.ts';

/** The globals that Lua has while a function runs. While a library loads, most of them do not exist. */
const GLOBALS =
  'redis, string, table, math, struct, cjson, cmsgpack, bit, tonumber, tostring, ipairs, pairs, next, unpack, error, pcall, ' +
  'setmetatable';

/** Returns the flags of a verb's function, as Lua. */
function flagsOf(verb: string): string {
  const { memory } = rowOf(verb);
  if (memory === 'unchanged') return "'no-writes'";
  return memory === 'takes' ? '' : "'allow-oom'";
}

export interface Verb {
  readonly name: string;
  /** Its module, which has it as a field: a function that takes keys by name, and arguments, and returns the reply. */
  readonly module: string;
  /** The names of the keys that it is given, in order. */
  readonly keys: readonly string[];
  /** The names of the others, which it derives from the tenant's. */
  readonly derivedKeys: readonly string[];
  /** True if its second argument has flags (lua/frame/call.lua). */
  readonly hasFlags: boolean;
}

export interface Library {
  readonly name: string;
  readonly lua: string;
  /** Returns the name of a verb's function. */
  readonly functionOf: (verb: string) => string;
}

/** A verb, as a function of the library and as a script. */
export interface Script {
  readonly name: string;
  /** @returns the text that runs where functions are forbidden */
  readonly lua: () => string;
  /** @returns the SHA-1 of that text */
  readonly digest: () => string;
  /** The names of the keys that it is given, in order; and of those that it derives from the tenant's. */
  readonly keys: readonly string[];
  readonly derivedKeys: readonly string[];
  /** @returns the library that has the verb as a function */
  readonly library: () => Library;
  /** @returns the name of that function */
  readonly functionName: () => string;
}

/** A module of lua/: its text, the modules that it requires, and whether each call begins with its begin(). */
export interface Module {
  readonly lua: string;
  readonly needs: readonly string[];
  readonly hasBegin: boolean;
}

/** Reads a module once: each of some 60 verbs asks for all that it needs. */
export const moduleOf = (lua: string): Module => ({
  lua,
  needs: [...lua.matchAll(/\brequire\('([\w/]+)'\)/g)].map(([, other = '']) => other),
  hasBegin: /^function \w+\.begin\(\)/m.test(lua),
});

/** name → module */
type Modules = ReadonlyMap<string, Module>;

/**
 * Returns the modules that some need, each after those that it needs itself.
 * @throws Error if one does not exist
 */
function neededBy(modules: Modules, names: readonly string[]): string[] {
  const found = new Set<string>();
  const under = new Set<string>();
  const add = (name: string) => {
    if (found.has(name)) return;
    if (under.has(name)) throw new Error(`lua/${name}.lua needs itself`);
    under.add(name);
    moduleNamed(modules, name).needs.forEach(add);
    found.add(name);
  };
  names.forEach(add);
  return [...found];
}

function moduleNamed(modules: Modules, name: string): Module {
  const found = modules.get(name);
  if (found === undefined) throw new Error(`lua/${name}.lua does not exist`);
  return found;
}

/** The module with the plain way of a verb. */
const plainOf = (modules: Modules, { name }: Verb) => (modules.has(`plain/${name}`) ? [`plain/${name}`] : []);

/** Returns what lua/frame/run.lua takes of a verb, as Lua. */
function tableOf(modules: Modules, verb: Verb): string {
  const list = (names: readonly string[]) => `{ ${names.map((name) => `'${name}'`).join(', ')} }`;
  const [plain] = plainOf(modules, verb);
  const begun = neededBy(modules, [verb.module]).filter((name) => moduleNamed(modules, name).hasBegin);
  return `{ name = '${verb.name}', module = '${verb.module}', plainModule = ${plain === undefined ? 'nil' : `'${plain}'`}, keys = ${list(verb.keys)},
derived = { ${verb.derivedKeys.map((name) => `${name} = true`).join(', ')} }, hasFlags = ${verb.hasFlags}, modules = ${list(begun)}, begins = {} }`;
}

/**
 * Returns the text that library and script begin with, in parts: whole, it would be in memory more than once. The
 * globals become locals, which are faster. The first call makes what runs all others.
 */
function bodyOf(modules: Modules, verbs: readonly Verb[]): string[] {
  const roots = verbs.flatMap((verb) => [...plainOf(modules, verb), verb.module]);
  const texts = neededBy(modules, ['frame/run', ...roots]).map(
    (name) => `modules['${name}'] = function()\n${moduleNamed(modules, name).lua}\nend\n`,
  );
  return [
    `local function globals() return ${GLOBALS} end
local ${GLOBALS}
local modules, made = {}, {}
local function require(name)
  if not made[name] then made[name] = modules[name]() end
  return made[name]
end
`,
    ...texts,
    `local verbs = {
${verbs.map((verb) => `${verb.name} = ${tableOf(modules, verb)},\n`).join('')}}
local run
function run(verb, keys, args)
  ${GLOBALS} = globals()
  run = require('frame/run')
  return run(verb, keys, args)
end
`,
  ];
}

/**
 * Makes a library. Its name and those of its functions end with its digest, so versions live side by side.
 * @throws Error if a module does not exist
 */
export function libraryOf(modules: Modules, verbs: readonly Verb[]): Library {
  const body = ['local register = redis.register_function\n', ...bodyOf(modules, verbs)];
  const digest = body
    .reduce((sum, part) => sum.update(part), createHash('sha256'))
    .digest('hex')
    .slice(0, 16);
  const functionOf = (verb: string) => `hf_${verb}_${digest}`;
  const registered = verbs.map(
    ({ name }) => `do
  local verb = verbs.${name}
  register{
    function_name = '${functionOf(name)}', flags = { ${flagsOf(name)} },
    callback = function(keys, args) return run(verb, keys, args) end,
  }
end
`,
  );
  return { name: `hf_${digest}`, lua: [`#!lua name=hf_${digest}\n`, ...body, ...registered].join(''), functionOf };
}

/**
 * Makes the script of a verb, for a Redis that forbids functions.
 * @throws Error if a module does not exist
 */
export const scriptOf = (modules: Modules, verb: Verb): string =>
  [...bodyOf(modules, [verb]), `return run(verbs.${verb.name}, KEYS, ARGV)`].join('');

/** Reads the modules of lua/. */
export const LUA_FOLDER = fileURLToPath(new URL('../../lua/', import.meta.url));

/** Returns the texts of the files of lua/ by their names: `waiting/queues` for lua/waiting/queues.lua. */
export const readModules = (): Map<string, string> =>
  new Map(
    readdirSync(LUA_FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.lua'))
      .sort()
      .map((file) => [file.slice(0, -'.lua'.length), readFileSync(join(LUA_FOLDER, file), 'utf8')]),
  );

/** Leaves out comments. Lines keep their numbers. */
export const withoutComments = (lua: string): string =>
  lua
    .replace(/^--\[\[[\s\S]*?\]\]/gm, (header) => '\n'.repeat(header.split('\n').length - 1))
    .replace(/('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")| *--.*$/gm, '$1');

/** Entries of a tenant's history that Redis keeps at most: some 20 MB. */
const MAX_HISTORY = 100_000;

/** Bytes of a tenant's outbox at most: a quarter of what the tenant may keep, but not more than this. */
const MAX_OUTBOX_BYTES = 16 * 1024 * 1024;

/** Returns the Lua module events/bits: the bits of the types of events in masks. */
export const bitsModule = (): string =>
  `return { ${EVENT_TYPES.map((type) => `${type} = ${bitOf(type)}`).join(', ')} }`;

/**
 * Returns the Lua module frame/limits: the limits of tiers by their numbers; 0: the tenant is not loaded. So functions
 * have the limits of the instance's configuration, and a tenant's record has only the name of its tier.
 */
export const limitsModule = (tiers: TierTable): string => `local NO_LIMIT = 9007199254740992
return { [0] = ${[{}, ...TIERS.map((tier) => tiers[tier])].map(limitsTable).join(', ')} }`;

function limitsTable(limits: Partial<TierLimits>): string {
  const columns = {
    readsPerMinute: limits.readsPerMinute,
    writesPerMinute: limits.writesPerMinute,
    writesPerDay: limits.writesPerDay,
    reservations: limits.reservations,
    bookings: limits.bookings,
    streams: limits.eventConnections,
    definitions: limits.definitions,
    bytes: limits.bytes,
  };
  const outbox = Math.min(MAX_OUTBOX_BYTES, (limits.bytes ?? Number.POSITIVE_INFINITY) / 4);
  const history = limits.historyDays === 0 ? 0 : Math.min(limits.historyEntries ?? MAX_HISTORY, MAX_HISTORY);
  return `{ ${Object.entries(columns)
    .map(([name, limit]) => `${name} = ${limit ?? 'NO_LIMIT'}`)
    .join(', ')}, history = ${history}, outbox = ${outbox} }`;
}
