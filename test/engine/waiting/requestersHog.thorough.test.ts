/**
 * No script keeps Redis busy for long when requesters with as many tickets as one may have get something that all of
 * these are for, so that each of the tickets is looked at again (docs/specification.md#waiting). The limit on the work
 * of a request allows ten such requesters in one.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '../../../src/engine/reservations/transaction.ts';
import { keysOf } from '../../../src/redis/keys.ts';
import { runScript } from '../../../src/redis/scripts.ts';
import { reserve, unreserve } from '../../support/verbs.ts';
import { CALL } from '../../support/waitingEngine.ts';
import { MAX_MS } from '../hog/scriptTimes.ts';
import { range, running, times, useHog } from '../hog/state.ts';

const REQUESTERS = 150;
const TICKETS = 60;
const BATCH = 10;

useHog();
beforeAll(async () => {
  const { engine, credential } = running;
  const held = range(TICKETS, (j) => `held${j}`);
  await reserve(
    engine,
    credential,
    held.map((resource) => ({ resource, requester: 'holder' })),
  );
  const waiting = { wait: { waitSeconds: 86_400 }, call: CALL };
  for (let i = 0; i < REQUESTERS; i++)
    await Promise.all(
      held.map((name) => {
        const item = { requestType: 'RESERVE' as const, requester: `r${i}`, ttlSeconds: 60 };
        const items = [`own${i}`, name].map((resource) => ({ ...item, resource }));
        return transaction(engine, credential, 'ALL_OR_NONE', items, waiting);
      }),
    );
}, 600_000);

describe('no script keeps Redis busy for long when requesters with many tickets get something', () => {
  let batches = 0;
  let statuses: unknown[] = [];
  const take = async () => {
    const first = BATCH * batches++;
    const items = range(BATCH, (i) => ({ resource: `own${first + i}`, requester: `r${first + i}` }));
    statuses = (await reserve(running.engine, running.credential, items)).map(({ status }) => status);
  };

  test('neither the batch', async () => {
    expect(await times.longest('batch', take)).toBeLessThan(MAX_MS);
    expect(statuses).toEqual(range(BATCH, () => 'ACQUIRED'));
  });

  test('nor what looks at their tickets after it', async () => {
    const sweep = () => runScript(running.engine.redis, 'sweep', ...keysOf('sweep', running.credential.tenant), '');
    expect(await times.longest('sweep', sweep, take)).toBeLessThan(MAX_MS);
  });

  test('nor a release of what others of their tickets are for', async () => {
    const { engine, credential } = running;
    const release = async () => {
      const [held] = await reserve(engine, credential, [{ resource: 'held0', requester: 'holder' }]);
      if (held) await unreserve(engine, credential, [held]);
    };
    expect(await times.longest('release', release, take)).toBeLessThan(MAX_MS);
  });
});
