/**
 * Runs the verbs of lua/verbs. They are functions of one library (bundle.ts, functions.ts), or scripts where functions
 * are forbidden. verbs.ts lists them.
 */
import { hash } from 'node:crypto';
import { memoize } from '../domain/firstUse.ts';
import { requestObserver, type ScriptObserver } from '../domain/scriptObserver.ts';
import type { TierTable } from '../domain/tiers.ts';
import {
  bitsModule,
  libraryOf,
  limitsModule,
  moduleOf,
  readModules,
  type Script,
  scriptOf,
  type Verb as VerbModule,
  withoutComments,
} from './bundle.ts';
import type { RedisClient } from './client.ts';
import { Functions, ScriptAttempts, type ScriptCall } from './functions.ts';
import { givenOf, rowOf, type Verb } from './verbs.ts';

const loaded = new Map<string, Script[]>();

/**
 * Reads every verb, once for all instances of a process. The library is made when it is first used.
 * @param tiers the limits of each tier
 * @param replaced name of a module → source to use instead of the file; tests control the clock with it
 * @throws Error if src/redis/verbs.ts does not have a verb
 */
export function loadScripts(tiers: TierTable, replaced: Readonly<Record<string, string>> = {}): readonly Script[] {
  const key = JSON.stringify([tiers, replaced]);
  const scripts = loaded.get(key) ?? readScripts(tiers, replaced);
  loaded.set(key, scripts);
  return scripts;
}

function readScripts(tiers: TierTable, replaced: Readonly<Record<string, string>>): Script[] {
  const files = readModules();
  const texts = new Map([...files].map(([name, lua]) => [name, withoutComments(lua)]));
  texts.set('frame/limits', limitsModule(tiers));
  texts.set('events/bits', bitsModule());
  for (const [name, lua] of Object.entries(replaced)) texts.set(name, lua);
  const modules = new Map([...texts].map(([name, lua]) => [name, moduleOf(lua)]));
  const verbs = [...files].filter(([name]) => name.startsWith('verbs/')).flatMap(([name, lua]) => verbsIn(name, lua));
  const library = memoize(() => libraryOf(modules, verbs));
  return verbs.map((verb) => {
    const lua = memoize(() => scriptOf(modules, verb));
    return {
      name: verb.name,
      keys: verb.keys,
      derivedKeys: verb.derivedKeys,
      lua,
      digest: memoize(() => hash('sha1', lua())),
      library,
      functionName: memoize(() => library().functionOf(verb.name)),
    };
  });
}

/** Returns the verbs of a module. Each begins with a header: a long comment that starts with its name. */
function verbsIn(module: string, lua: string): VerbModule[] {
  return lua.split(/^(?=--\[\[ )/m).flatMap((source) => {
    const [header, name] = /^--\[\[ (\w+)[\s\S]*?\]\]/.exec(source) ?? [];
    if (header === undefined || name === undefined) return [];
    const { keys } = rowOf(name);
    return {
      name,
      module,
      keys: givenOf(keys),
      derivedKeys: keys.filter((key) => !givenOf(keys).includes(key)),
      hasFlags: /ARGV\[2\] +flags/.test(header),
    };
  });
}

const functionsOf = new WeakMap<RedisClient, Functions>();

function knownOf(redis: RedisClient): Functions {
  const functions = functionsOf.get(redis);
  if (functions === undefined) throw new Error('the client has no scripts: call defineScripts()');
  return functions;
}

/**
 * Lets a client run scripts.
 * @param onForbidden called once if Redis forbids functions
 */
export function defineScripts(
  redis: RedisClient,
  scripts: readonly Script[],
  onForbidden: () => void = () => {},
): void {
  functionsOf.set(redis, new Functions(redis, scripts, onForbidden));
}

/** Calls an observer at each attempt to call one of a client's scripts. */
export const observeScripts = (redis: RedisClient, observer: ScriptObserver): void => knownOf(redis).observe(observer);

/**
 * Calls a verb. The call gets the reply, or the errors that send() throws.
 * @param ofRequest observes the scripts of the request that the call is for
 */
export const sendScript = (redis: RedisClient, verb: Verb, call: ScriptCall, ofRequest?: ScriptObserver): void =>
  new ScriptAttempts(knownOf(redis), verb, call, ofRequest).start();

/**
 * Calls a verb.
 * @param args its keys, then what it takes
 * @throws as send()
 */
export const runScript = (redis: RedisClient, verb: Verb, ...args: (string | number)[]): Promise<unknown> =>
  new Promise((answered, failed) =>
    sendScript(redis, verb, { keys: args, args: () => [], answered, failed }, requestObserver.getStore()),
  );
