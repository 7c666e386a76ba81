/** Tries to give back what others hold, with a token that nobody was given. */
import { randomUUID } from 'node:crypto';
import { KEPT_PREFIX } from '../things.ts';
import type { Caller } from './caller.ts';

export async function steal(caller: Caller): Promise<void> {
  const { random, shift } = caller;
  // The balancer may repeat a release: of one that finds nothing, nobody would know what came.
  const instances = shift.system.addresses.filter(({ name }) => name !== 'balancer');
  while (!shift.isOver) {
    await caller.pause(200, 800);
    const { response } = await caller.call('active', '');
    const held = (response ?? []).filter(({ resource }) => !resource.startsWith(KEPT_PREFIX));
    if (held.length === 0) continue;
    const { resource, requester } = random.pick(held);
    await caller.call('unreserve', [{ resource, requester, releaseToken: randomUUID() }], {
      at: random.pick(instances),
    });
  }
}
