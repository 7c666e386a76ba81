/**
 * The library on Valkey 8, where the test can get one: all verbs, the engine against its model, and a full server.
 */
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { GuardedProcess } from '../../scripts/guardedProcess.ts';
import { run } from '../model/history.ts';
import { histories } from '../model/steps.ts';
import { run as runWaiting } from '../model/twoTenants.ts';
import { histories as waitingHistories } from '../model/waitingSteps.ts';
import { startEngine } from '../support/engine.ts';
import { EXAMPLE_CALLS } from '../support/exampleCalls.ts';
import { furnished, type Outcome, outcomesOf } from '../support/outcomes.ts';
import { redisAddress } from '../support/redisAddress.ts';
import { makeTenant } from '../support/service.ts';
import { findValkey, startValkey } from '../support/valkey.ts';
import { available } from '../support/verbs.ts';

const path = findValkey();

/**
 * Returns the parts of a reply and of what is stored, sorted: each server lists the fields of a hash in its own order.
 * The key of a run, the name of a server, and bytes that a server says it needs are left out.
 */
const comparable = ({ reply, stored }: Outcome): string[] => {
  const others = Object.entries(stored).filter(([key]) => !key.endsWith(':tenant'));
  return JSON.stringify([reply, others])
    .replace(/\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b/g, 'x')
    .split(/[",[\]{}]+/)
    .sort();
};

describe.skipIf(path === null)('on Valkey 8 (needs valkey-server, or apt-get on Debian 12)', () => {
  let valkey: GuardedProcess & { readonly url: string };
  beforeAll(async () => {
    valkey = await startValkey(path ?? '');
  });
  afterAll(() => valkey.stop());

  test('each verb answers and stores what it does on Redis', async () => {
    const tenant = makeTenant();
    const on = async (url: string) => {
      const running = await startEngine(tenant, url);
      const redis = new Redis(redisAddress(url));
      const outcomes = await outcomesOf(await furnished(running, redis, true));
      redis.disconnect();
      running.stop();
      return outcomes.map(comparable);
    };
    const [there, here] = [await on(valkey.url), await on(inject('redisUrl'))];
    for (const [i, { title, verb }] of EXAMPLE_CALLS.entries())
      if (verb !== 'usage') expect(there[i], title).toEqual(here[i]);
  });

  test('the engine does what the model does', async () => {
    const start = (cap: number | null = null) =>
      startEngine(makeTenant(), valkey.url, undefined, cap === null ? {} : { reservations: cap });
    const once = { numRuns: 1, seed: 1, endOnFailure: true };
    await fc.assert(
      fc.asyncProperty(histories(100), async (history) => {
        const engine = await start();
        await run(engine, history).finally(() => engine.stop());
      }),
      once,
    );
    await fc.assert(
      fc.asyncProperty(waitingHistories(60), async (history) => {
        const [one, other] = [await start(history.cap), await start(history.cap)];
        await runWaiting([one, other], history).finally(() => {
          one.stop();
          other.stop();
        });
      }),
      once,
    );
  });

  test('a library that is deleted while calls run is loaded again', async () => {
    const running = await startEngine(makeTenant(), valkey.url);
    const redis = new Redis(valkey.url);
    await furnished(running, redis, true);
    for (let round = 0; round < 10; round++) {
      const { engine, credential } = running;
      const calls = Array.from({ length: 20 }, () => available(engine, credential, 'pool'));
      await redis.function('FLUSH');
      expect(new Set(await Promise.all(calls))).toEqual(new Set([true]));
    }
    redis.disconnect();
    running.stop();
  });
});
