/**
 * Loads lua/commands and lua/lib and makes each script a method of a Redis client. A line `--@include name` is replaced
 * by lua/lib/name.lua, once in a script; `--@tiers` by the table of tiers (lua/lib/limits.lua); `--@parts` by the files
 * that the command names in lines `--@part name` (lua/lib/waiting/open.lua); `--@nest` begins a function; `--@makeRare`
 * makes the functions of files that begin with `--@rare`. The script's header names its keys: with `KEYS[2]  slots`,
 * `slotsKey` stands for KEYS[2]. ioredis sends EVALSHA, and EVAL if Redis has not seen the script. Verbs that have a
 * module in lua/verbs are functions of a library instead (bundle.ts, functions.ts).
 */
import { basename } from 'node:path';
import type { ClientContext, Result } from 'ioredis';
import { once } from '../domain/firstUse.ts';
import type { TierTable } from '../domain/tiers.ts';
import { type Library, libraryOf, scriptOf } from './bundle.ts';
import type { RedisClient } from './client.ts';
import { functionCall } from './functions.ts';
import { modulesOf, textsIn, withoutComments } from './luaFiles.ts';
import { tierLimits } from './tierLimits.ts';

export type Verb =
  | 'active'
  | 'activity'
  | 'authenticate'
  | 'available'
  | 'beat'
  | 'beginSession'
  | 'cancel'
  | 'charge'
  | 'chargeReads'
  | 'check'
  | 'closeStreams'
  | 'copyDefinitions'
  | 'definitions'
  | 'delete'
  | 'endSession'
  | 'issueToken'
  | 'keep'
  | 'labelsInUse'
  | 'keepReset'
  | 'leave'
  | 'loadTenant'
  | 'lowerIndex'
  | 'openStream'
  | 'probe'
  | 'raiseIndex'
  | 'readHistory'
  | 'refusals'
  | 'register'
  | 'renew'
  | 'renewSession'
  | 'renewStreams'
  | 'reserve'
  | 'reset'
  | 'resource'
  | 'sessions'
  | 'standings'
  | 'states'
  | 'sweep'
  | 'emitLimitReached'
  | 'transaction'
  | 'tree'
  | 'unregistered'
  | 'unreserve'
  | 'usage'
  | 'waiting';

type Argument = string | number;

/** The prefix keeps scripts apart from Redis's own commands. */
type Methods<Context extends ClientContext> = {
  [V in Verb as `hf_${V}`]: (...keysAndArgs: Argument[]) => Result<unknown, Context>;
} & {
  [V in 'active' | 'readHistory' as `hf_${V}Buffer`]: (...keysAndArgs: Argument[]) => Result<unknown, Context>;
};

declare module 'ioredis' {
  interface RedisCommander<Context> extends Methods<Context> {}
}

export interface Script {
  readonly name: string;
  /** The file as it is written. */
  readonly source: string;
  /** @returns the text that Redis runs: with its includes, without the header */
  readonly lua: () => string;
  /** The names of its keys, in order. */
  readonly keys: readonly string[];
  /** The library that has the verb as a function: then `lua` is for a Redis that forbids functions. */
  readonly library?: () => Library;
  /** The part of `lua` that carries out what the verb's module (lua/verbs) does not. */
  readonly general?: () => string;
}

const loaded = new Map<string, Script[]>();

/**
 * Reads every script, once for all instances of a process. Includes are inserted when its text is first used: that
 * takes a few ms a script, and few instances use all of them.
 * @param tiers the limits of each tier
 * @param replaced name of an include or a module → source to use instead of the file; tests control the clock with it
 * @throws Error if a script has no header. Reading `lua` throws if an include does not exist
 */
export function loadScripts(tiers: TierTable, replaced: Readonly<Record<string, string>> = {}): readonly Script[] {
  const key = JSON.stringify([tiers, replaced]);
  const scripts = loaded.get(key) ?? readScripts(tiers, replaced);
  loaded.set(key, scripts);
  return scripts;
}

function readScripts(tiers: TierTable, replaced: Readonly<Record<string, string>>): Script[] {
  const limits = tierLimits(tiers);
  const prepare = (lua: string) => withoutComments(lua).replace(/^--@tiers$/m, limits);
  const files = new Map([...textsIn('lib'), ...Object.entries(replaced)]);
  const prepared = new Map<string, string>();
  const read = (name: string) => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`lua/lib/${name}.lua does not exist`);
    const lua = prepared.get(name) ?? prepare(file);
    prepared.set(name, lua);
    return lua;
  };
  const expand = (lua: string, script: Expansion): string =>
    lua.replace(/^--@parts$/m, script.parts).replace(/^--@(?:include ([\w/]+)|makeRare)$/gm, (line, name?: string) => {
      if (name === undefined) {
        script.areRareMade = true;
        return line;
      }
      if (script.included.has(name)) return '';
      script.included.add(name);
      const [, rare] = /^--@rare\n([\s\S]*)$/.exec(read(name)) ?? [];
      if (rare === undefined || script.areRareMade) return expand(rare ?? read(name), script);
      // Its includes come first.
      const includes = expand((rare.match(/^--@include .*$/gm) ?? []).join('\n'), script);
      script.rare.push(rare.replace(/^--@include .*\n/gm, ''));
      return includes;
    });
  const modules = modulesOf(prepare(read('clock')), tiers, replaced);
  const scripts = [...textsIn('commands')].map(([file, source]): Script => {
    const header = /^--\[\[([\s\S]*?)\]\]/.exec(source)?.[1];
    if (header === undefined) throw new Error(`lua/commands/${file}.lua has no header`);
    const name = basename(file);
    const keys = [...header.matchAll(/^ {2}KEYS\[\d+\] {2}(\w+)/gm)].map(([, key = '']) => key);
    const parts = [...source.matchAll(/^--@part ([\w/]+)$/gm)].map(([, part = '']) => `--@include ${part}\n`).join('');
    const general = once(() => {
      const body = prepare(source.slice(header.length + '--[[]]'.length));
      const script = { included: new Set<string>(), parts, rare: [], areRareMade: !/^--@makeRare$/m.test(body) };
      return nest(putConstants(putKeys(makeRare(expand(body, script), script.rare), keys)));
    });
    if (!modules.has(`verbs/${name}`)) {
      const lua = () => `${/\bhanded\b/.test(general()) ? 'local handed\n' : ''}${general()}`;
      return { name, source, keys, lua };
    }
    const lua = once(() => scriptOf(modules, { name, general: general() }));
    return { name, source, keys, lua, library: () => functions(), general };
  });
  const functions = once(() =>
    libraryOf(
      modules,
      scripts.flatMap(({ name, general }) => (general === undefined ? [] : [{ name, general: general() }])),
    ),
  );
  return scripts;
}

/** A script while its includes are inserted. */
interface Expansion {
  readonly included: Set<string>;
  readonly parts: string;
  /** The files so far whose functions few calls need. */
  readonly rare: string[];
  /** Whether these are made before the place that was reached, so that further ones stay where they are included. */
  areRareMade: boolean;
}

/**
 * Puts what rare files define into one function, at the line `--@makeRare`, and into the table `rare`, which calls it
 * when one of them is used for the first time: making a function costs time at every call of a script. A local with the
 * name of one of them is a syntax error.
 */
function makeRare(lua: string, files: readonly string[]): string {
  if (files.length === 0) return lua;
  const inner = files.join('');
  const names = [...inner.matchAll(/^local (?:function (\w+)|([a-z][\w, ]*?)(?: = .*)?$)/gm)].flatMap(
    ([, name, list]) => name ?? list?.split(', ') ?? [],
  );
  const used = new Set<string>();
  // Not in texts, and not as fields.
  const word = new RegExp(`'(?:\\\\.|[^'\\\\\n])*'|[.:]?\\b(?:${names.join('|')})\\b`, 'g');
  const [before = '', after = ''] = lua
    .replace(word, (text) => {
      if (/^['.:]/.test(text)) return text;
      used.add(text);
      return `rare.${text}`;
    })
    .split(/^--@makeRare$/m);
  const made = [...used].map((name) => `${name} = ${name},\n`).join('');
  return `local rare\n${before}rare = setmetatable({}, { __index = function(_, name)
${inner}rare = {\n${made}}
return rare[name]
end })${after}`;
}

/** Keys become KEYS[n], not locals: each local that functions share costs time at every call of the script. */
function putKeys(lua: string, keys: readonly string[]): string {
  const places = new Map(keys.map((key, i) => [`${key}Key`, `KEYS[${i + 1}]`]));
  return lua.replace(new RegExp(`\\b(?:${keys.join('|')})Key\\b`, 'g'), (word) => places.get(word) ?? word);
}

const LITERAL = /(?:\d+|'[^'\n]*')/.source;
/** A line that declares constants; and what may contain their names: texts and words in capitals. */
const CONSTANTS = new RegExp(
  `^local ([A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*) = (${LITERAL}(?:, ${LITERAL})*)$|'(?:\\\\.|[^'\\\\\n])*'|\\b[A-Z][A-Z0-9_]*\\b`,
  'gm',
);

/** Constants become literals, for the same reason as keys. */
function putConstants(lua: string): string {
  const values = new Map<string, string>();
  return lua.replace(CONSTANTS, (text, names?: string, literals?: string) => {
    if (names === undefined || literals === undefined) return values.get(text) ?? text;
    const all = literals.match(new RegExp(LITERAL, 'g')) ?? [];
    for (const [i, name] of names.split(', ').entries()) values.set(name, all[i] ?? '');
    return '';
  });
}

/**
 * Puts the rest of the script, from each line `--@nest` on, into a function that is called at once. Lua makes a
 * function fast if the locals that it uses belong to a function around it; for each local beside it, it searches a
 * list.
 */
function nest(lua: string): string {
  const [first = '', ...inner] = lua.split(/^--@nest$/m);
  return inner.length === 0
    ? lua
    : `${[first, ...inner].join('return (function()')}\n${'end)() '.repeat(inner.length)}`;
}

/** Called when a script is sent. Returns a callback for its reply or error. */
export type ScriptObserver = (script: string) => (error?: unknown) => void;

/** Calls an observer at each call of a client's scripts. */
export function observeScripts(redis: RedisClient, scripts: readonly Script[], observe: ScriptObserver): void {
  for (const { name } of scripts) {
    for (const method of [`hf_${name}`, `hf_${name}Buffer`]) {
      const run: unknown = Reflect.get(redis, method);
      if (typeof run !== 'function') throw new Error(`the script ${name} is not defined`);
      Reflect.set(redis, method, (...args: Argument[]) => {
        const end = observe(name);
        const reply: Promise<unknown> = Reflect.apply(run, redis, args);
        reply.then(() => end(), end);
        return reply;
      });
    }
  }
}

/**
 * Gives a client the scripts as methods `hf_<name>`, and `hf_<name>Buffer` for replies in bytes.
 * @param onForbidden called once if Redis forbids functions
 */
export function defineScripts(
  redis: RedisClient,
  scripts: readonly Script[],
  onForbidden: () => void = () => {},
): void {
  for (const { name, lua, keys, library } of scripts) {
    const own = `script_${name}`;
    const isDefined = once(() => {
      redis.defineCommand(own, { lua: lua(), numberOfKeys: keys.length });
      return true;
    });
    for (const suffix of ['', 'Buffer']) {
      const runScript = (...args: Argument[]): Promise<unknown> => {
        isDefined();
        return Reflect.apply(Reflect.get(redis, `${own}${suffix}`), redis, args);
      };
      const run =
        library === undefined ? runScript : functionCall(redis, library, name, keys.length, runScript, onForbidden);
      Reflect.set(redis, `hf_${name}${suffix}`, run);
    }
  }
}
