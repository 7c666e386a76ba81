/**
 * Long polls go on after an instance could neither beat nor hear wake-ups for longer than its tickets are attended
 * (docs/specification.md#waiting-lifetimes). FAULTS is the number of times that this happens.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../support/client.ts';
import { poll, queue, wanted } from '../../support/polls.ts';
import { Killable } from '../../support/process.ts';
import { CLAIM_SECONDS } from '../../support/waitingLoad.ts';

const ROUNDS = Number(process.env.FAULTS ?? 1);
/** After that long nobody attends the tickets of an instance. */
const SILENT_MS = 6000 + CLAIM_SECONDS * 1000 + 1000;
/** Two beats, or a connection and a beat. */
const SOON_MS = 4000;

let service: Killable;
beforeAll(async () => {
  service = await Killable.start();
});
afterAll(() => service?.stop());

/** Lets somebody hold a resource, and somebody else wait for it at the first instance. */
async function wait(resource: string) {
  const [url = '', otherUrl = ''] = service.urls;
  const other = createClient(otherUrl, service.key);
  const { body } = await other.reserve({ resource, requester: 'owner' });
  const item = { resource, requester: 'owner', releaseToken: body[0]?.releaseToken ?? '' };
  const call = poll({ url, key: service.key }, [wanted(resource, 'waiter', { claimSeconds: CLAIM_SECONDS })], 30);
  await queue(other, 'it waits', (all) => all.some(({ waitsFor }) => waitsFor === resource));
  return { giveBack: () => other.unreserve(item), first: call.first };
}

test(
  'long polls have their turn again once their instance goes on, also where a grant has ended meanwhile',
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const passedOver = await wait(`passed over ${round}`);
      const granted = await wait(`granted ${round}`);
      service.instance(0).kill('SIGSTOP');
      // Messages that are published meanwhile are lost.
      await service.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await granted.giveBack();
      await pause(SILENT_MS);
      service.instance(0).kill('SIGCONT');
      const continuedAt = performance.now();
      expect(await granted.first).toMatchObject({ status: 'ACQUIRED' });
      await passedOver.giveBack();
      expect(await passedOver.first).toMatchObject({ status: 'ACQUIRED' });
      expect(performance.now() - continuedAt).toBeLessThan(2 * SOON_MS);
    }
  },
  60_000 + ROUNDS * 20_000,
);
