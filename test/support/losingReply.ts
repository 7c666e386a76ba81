/**
 * An engine that loses the first reply of a script.
 */
import type { Engine } from '../../src/engine/engine.ts';
import type { Verb } from '../../src/redis/verbs.ts';
import type { RunningEngine } from './engine.ts';
import { interceptScript } from './interceptScript.ts';

/** The engine, with the first reply of a verb lost; what somebody else does meanwhile comes between. */
export function losingReply(
  running: Pick<RunningEngine, 'engine' | 'scripts'>,
  verb: Verb,
  meanwhile: () => Promise<unknown> = async () => {},
): Engine {
  let isLost = false;
  return interceptScript(running, verb, async (send) => {
    const reply = await send();
    const [code] = Array.isArray(reply) ? reply.map(String) : String(reply).split('\r');
    if (isLost || code !== 'OK') return reply;
    isLost = true;
    await meanwhile();
    throw new Error('Connection is closed.');
  });
}
