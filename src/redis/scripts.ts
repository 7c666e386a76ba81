/**
 * Gives a Redis client the verbs of lua/verbs as methods `hf_<name>`. They are functions of one library (bundle.ts,
 * functions.ts), or scripts where functions are forbidden. keys.ts names their keys.
 */
import { basename } from 'node:path';
import type { ClientContext, Result } from 'ioredis';
import { once } from '../domain/firstUse.ts';
import type { TierTable } from '../domain/tiers.ts';
import { type Library, libraryOf, scriptOf, type Verb as VerbModule } from './bundle.ts';
import type { RedisClient } from './client.ts';
import { functionCall } from './functions.ts';
import { KEYS_OF } from './keys.ts';
import { readModules, withoutComments } from './luaFiles.ts';
import { limitsModule } from './tierLimits.ts';

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
  /** @returns the text that runs where functions are forbidden */
  readonly lua: () => string;
  /** The names of its keys, in order. */
  readonly keys: readonly string[];
  /** @returns the library that has the verb as a function */
  readonly library: () => Library;
}

const loaded = new Map<string, Script[]>();

/**
 * Reads every verb, once for all instances of a process. The library is made when it is first used.
 * @param tiers the limits of each tier
 * @param replaced name of a module → source to use instead of the file; tests control the clock with it
 * @throws Error if a verb has no header
 */
export function loadScripts(tiers: TierTable, replaced: Readonly<Record<string, string>> = {}): readonly Script[] {
  const key = JSON.stringify([tiers, replaced]);
  const scripts = loaded.get(key) ?? readScripts(tiers, replaced);
  loaded.set(key, scripts);
  return scripts;
}

function readScripts(tiers: TierTable, replaced: Readonly<Record<string, string>>): Script[] {
  const files = readModules();
  const modules = new Map([...files].map(([name, lua]) => [name, withoutComments(lua)]));
  modules.set('frame/limits', limitsModule(tiers));
  for (const [name, lua] of Object.entries(replaced)) modules.set(name, lua);
  const verbs = [...files].filter(([name]) => name.startsWith('verbs/')).map(([name, lua]) => verbOf(name, lua));
  const library = once(() => libraryOf(modules, verbs));
  return verbs.map((verb) => ({
    name: verb.name,
    source: files.get(verb.module) ?? '',
    keys: verb.keys,
    lua: once(() => scriptOf(modules, verb)),
    library,
  }));
}

const keysByName: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(KEYS_OF));

function verbOf(module: string, lua: string): VerbModule {
  const header = /^--\[\[([\s\S]*?)\]\]/.exec(lua)?.[1];
  if (header === undefined) throw new Error(`lua/${module}.lua has no header`);
  const name = basename(module);
  // Verbs that work on no tenant name their keys in the header.
  const keys = keysByName.get(name) ?? [...header.matchAll(/^ {2}KEYS\[\d+\] {2}(\w+)/gm)].map(([, key = '']) => key);
  return { name, module, keys, hasFlags: /^ {2}ARGV\[2\] {2}flags of the request/m.test(header) };
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
 * Gives a client the verbs as methods `hf_<name>`, and `hf_<name>Buffer` for replies in bytes.
 * @param onForbidden called once if Redis forbids functions
 */
export function defineScripts(
  redis: RedisClient,
  scripts: readonly Script[],
  onForbidden: () => void = () => {},
): void {
  for (const script of scripts) {
    for (const suffix of ['', 'Buffer'] as const) {
      Reflect.set(redis, `hf_${script.name}${suffix}`, functionCall(redis, script, suffix, onForbidden));
    }
  }
}
