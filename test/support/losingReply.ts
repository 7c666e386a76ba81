/**
 * An engine that loses the first reply of a script.
 */
import type { Engine } from '../../src/engine/call.ts';
import type { Verb } from '../../src/redis/scripts.ts';
import type { RunningEngine } from './engine.ts';

/** The engine, with the first reply of a verb lost; what somebody else does meanwhile comes between. */
export function losingReply(
  { engine }: Pick<RunningEngine, 'engine'>,
  verb: Verb,
  meanwhile: () => Promise<unknown> = async () => {},
): Engine {
  let isLost = false;
  const redis = new Proxy(engine.redis, {
    get: (client, name) => {
      const value: unknown = Reflect.get(client, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        const reply: unknown = await Reflect.apply(value, client, args);
        if (name !== `hf_${verb}` || isLost || !Array.isArray(reply) || reply[0] !== 'OK') return reply;
        isLost = true;
        await meanwhile();
        throw new Error('Connection is closed.');
      };
    },
  });
  return { ...engine, redis };
}
