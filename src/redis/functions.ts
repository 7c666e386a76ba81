/**
 * Calls the functions of a library (bundle.ts). A primary that does not have the library gets it: one that has just
 * joined a cluster, or has restarted without its data. Where functions are forbidden, scripts run instead.
 */
import type { Library } from './bundle.ts';
import type { RedisClient } from './client.ts';
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

/**
 * Returns what calls a verb's function.
 * @param runScript runs the verb as a script, with the same arguments
 * @param onForbidden called once for a client whose Redis forbids functions
 */
export function functionCall(
  redis: RedisClient,
  library: () => Library,
  verb: string,
  numberOfKeys: number,
  runScript: FunctionCall,
  onForbidden: () => void,
): FunctionCall {
  const forbid = () => {
    if (!forbidding.has(redis)) onForbidden();
    forbidding.add(redis);
  };
  return async (...args) => {
    if (forbidding.has(redis)) return runScript(...args);
    const call = () => redis.fcall(library().functionOf(verb), numberOfKeys, ...args);
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
