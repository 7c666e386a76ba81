/**
 * No request keeps Redis busy for long, if an outbox wants all of its events and a stream is open.
 */
import { beforeAll, expect, test } from 'vitest';
import { keysOf } from '../../src/redis/keys.ts';
import { runScript } from '../../src/redis/scripts.ts';
import { setClock } from '../support/clock.ts';
import { changeFlag, changeHot } from '../support/hotRecord.ts';
import { boxOf, outboxKey } from '../support/outbox.ts';
import { reserve, transaction, unreserve } from '../support/verbs.ts';
import { running, times, useHog } from './hog/hog.ts';
import { MAX_MS } from './hog/scriptTimes.ts';

const BATCH = 500;
let nth = 0;
useHog();
beforeAll(async () => {
  const { engine, credential } = running;
  await engine.loadTenant(credential.tenant);
  await changeFlag(engine.redis, credential.tenant, 'notices', true);
  await changeHot(engine.redis, credential.tenant, { listenUntil: 2 ** 52, publisher: 'p' });
});

/** Items with long names, which nobody has. */
const items = (count: number, more: { note?: string; ttlSeconds?: number } = {}) =>
  Array.from({ length: count }, () => ({
    resource: `${nth++}-${'n'.repeat(200)}`,
    requester: `person:${'r'.repeat(200)}`,
    ...more,
  }));

let held: { resource: string; requester: string; releaseToken: string | null }[] = [];
const empty = async () => {
  const { engine, credential } = running;
  await engine.redis.del(outboxKey(credential.tenant));
  const box = await boxOf(engine.redis, credential.tenant);
  await changeHot(engine.redis, credential.tenant, { box: { ...box, from: box.to, entries: 0 } });
};
const take = async () => {
  held = await reserve(running.engine, running.credential, items(BATCH));
  await empty();
};

test.each<[string, () => Promise<unknown>, () => Promise<void>]>([
  ['reserve of 500 plain names', () => reserve(running.engine, running.credential, items(BATCH)), empty],
  [
    'reserve of 100 with notes',
    () => reserve(running.engine, running.credential, items(100, { note: 'x'.repeat(400) })),
    empty,
  ],
  ['release of 500', () => unreserve(running.engine, running.credential, held), take],
  [
    'transaction of 250',
    () =>
      transaction(
        running.engine,
        running.credential,
        'ALL_OR_NONE',
        items(250).map((one) => ({ requestType: 'RESERVE' as const, ...one })),
      ),
    empty,
  ],
  [
    'the end of 500 leases',
    () => runScript(running.engine.redis, 'sweep', ...keysOf('sweep', running.credential.tenant), ''),
    async () => {
      for (let i = 0; i < 2; i++)
        await reserve(running.engine, running.credential, items(BATCH / 2, { ttlSeconds: 1 }));
      await empty();
      await setClock(running.engine.redis, running.credential.tenant, Date.now() + 10_000 * nth);
    },
  ],
])('%s', async (title, operation, prepare) => {
  expect(await times.longest(title, operation, prepare)).toBeLessThan(MAX_MS);
});
