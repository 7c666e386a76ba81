/**
 * Calls the functions of a library (bundle.ts). A primary that does not have the library gets it: one that has just
 * joined a cluster, or has restarted without its data. Where functions are forbidden, scripts run instead.
 */
import { once } from '../domain/firstUse.ts';
import type { Library } from './bundle.ts';
import type { RedisClient } from './client.ts';
import type { Script } from './scripts.ts';
import { primariesOf } from './topology.ts';

type Argument = string | number;

/** Nothing has run. */
const isMissing = (error: unknown) => error instanceof Error && error.message.startsWith('ERR Function not found');
export const isForbidden = (error: unknown): boolean =>
  error instanceof Error && /^(NOPERM|ERR unknown command)/.test(error.message);
const isLoaded = (error: unknown) => error instanceof Error && error.message.includes('already exists');

/** Clients whose Redis forbids functions. */
const forbidding = new WeakSet<RedisClient>();
/** The loading that is under way, by client. */
const loading = new WeakMap<RedisClient, Promise<void>>();

/** Loads a library into all primaries, once however many calls miss it. Another instance may be quicker. */
function load(redis: RedisClient, { lua }: Library): Promise<void> {
  const begun =
    loading.get(redis) ??
    Promise.all(
      primariesOf(redis).map((primary) =>
        primary.function('LOAD', lua).catch((error: unknown) => {
          if (!isLoaded(error)) throw error;
        }),
      ),
    )
      .then(() => {})
      .finally(() => loading.delete(redis));
  loading.set(redis, begun);
  return begun;
}

/** Calls a verb's function. The arguments are its keys, then what it takes. */
export type FunctionCall = (...args: Argument[]) => Promise<unknown>;

/** Returns what runs a verb as a script, with the same arguments. */
function scriptCall(redis: RedisClient, { name, lua, keys }: Script, suffix: '' | 'Buffer'): FunctionCall {
  const define = once(() => {
    redis.defineCommand(`script_${name}`, { lua: lua(), numberOfKeys: keys.length });
    return true;
  });
  return (...args) => {
    define();
    return Reflect.apply(Reflect.get(redis, `script_${name}${suffix}`), redis, args);
  };
}

/**
 * Returns what calls a verb's function.
 * @param suffix `Buffer` for replies in bytes
 * @param onForbidden called once for a client whose Redis forbids functions
 */
export function functionCall(
  redis: RedisClient,
  script: Script,
  suffix: '' | 'Buffer',
  onForbidden: () => void,
): FunctionCall {
  const { name, keys, library } = script;
  const runScript = scriptCall(redis, script, suffix);
  const forbid = () => {
    if (!forbidding.has(redis)) onForbidden();
    forbidding.add(redis);
  };
  return async (...args) => {
    if (forbidding.has(redis)) return runScript(...args);
    const call = () => redis[`call${suffix}`]('FCALL', library().functionOf(name), keys.length, ...args);
    try {
      return await call();
    } catch (error) {
      if (isForbidden(error)) forbid();
      else if (!isMissing(error)) throw error;
    }
    try {
      if (!forbidding.has(redis)) await load(redis, library());
    } catch (error) {
      if (!isForbidden(error)) throw error;
      forbid();
    }
    return forbidding.has(redis) ? runScript(...args) : call();
  };
}
