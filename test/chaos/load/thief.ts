/** Tries to give back what others hold, with a token that nobody was given. */
import { randomUUID } from 'node:crypto';
import { KEPT_PREFIX } from '../things.ts';
import type { Caller } from './caller.ts';

const AT_MOST = 4;

export async function steal(caller: Caller): Promise<void> {
  const { random, shift } = caller;
  // The balancer may repeat a release: of one that finds nothing, nobody would know what came.
  const instances = shift.system.addresses.filter(({ name }) => name !== 'balancer');
  while (!shift.isOver) {
    await caller.pause(100, 400);
    const { response } = await caller.call('active', '');
    const held = (response ?? []).toReversed().filter(({ resource }) => !resource.startsWith(KEPT_PREFIX));
    // One at a time: the answer to several says 403 if one of them is refused.
    for (const { resource, requester } of held.slice(0, AT_MOST))
      await caller.call('unreserve', [{ resource, requester, releaseToken: randomUUID() }], {
        at: random.pick(instances),
      });
  }
}
