/**
 * An engine whose calls of one script go through a test.
 */
import { Command } from 'ioredis';
import type { Engine } from '../../src/engine/engine.ts';
import { defineScripts } from '../../src/redis/scripts.ts';
import type { Verb } from '../../src/redis/verbs.ts';
import type { RunningEngine } from './engine.ts';

/**
 * @param around called instead of each call of the verb's function. `send` sends it, and returns the reply as ioredis
 * receives it, in which strings are bytes
 */
export function interceptScript(
  { engine, scripts }: Pick<RunningEngine, 'engine' | 'scripts'>,
  verb: Verb,
  around: (send: () => Promise<unknown>, firstKey: string) => Promise<unknown>,
): Engine {
  const { redis } = engine;
  const intercept = (command: Command) => {
    if (!String(command.args[0]).startsWith(`hf_${verb}_`)) return redis.sendCommand(command);
    const [resolve, reject] = [command.resolve.bind(command), command.reject.bind(command)];
    const send = () =>
      new Promise((replied, failed) => {
        command.resolve = replied;
        command.reject = failed;
        void redis.sendCommand(command);
      });
    return around(send, String(command.args[2])).then(resolve, reject);
  };
  const intercepted = new Proxy(redis, {
    get: (client, name) => {
      const value: unknown = Reflect.get(client, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const [command] = args;
        if (name === 'sendCommand' && command instanceof Command) return intercept(command);
        return Reflect.apply(value, client, args);
      };
    },
  });
  defineScripts(intercepted, scripts);
  return { ...engine, redis: intercepted };
}
