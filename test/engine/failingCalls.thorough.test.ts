/**
 * A function does not roll back, so it decides first and writes last: whichever of its Redis calls fails, nothing is
 * half done. A call after the first write cannot fail for want of memory, replicas or a primary: Redis checks these
 * at the first only. The modules of the library live on, so what they noted of the failed call must not reach the
 * next one.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import { STEERED_CLOCK } from '../support/clock.ts';
import { startEngine } from '../support/engine.ts';
import { EXAMPLE_CALLS, START } from '../support/exampleCalls.ts';
import { FAIL_AT, failingRun } from '../support/failing.ts';
import { isStill, restore, storedIn } from '../support/hotRecord.ts';
import {
  FAILED,
  type Furnished,
  furnished,
  type Outcome,
  outcomeOf,
  outcomesOf,
  replyOf,
} from '../support/outcomes.ts';
import { redisAddress } from '../support/redisAddress.ts';

/** A tenant, and what each call does on it if none fails. */
interface Tenant extends Furnished {
  readonly expected: readonly Outcome[];
}

/** Of these tests alone: the jobs of other tests' instances would go on with what a call has left to do. */
let server: Awaited<ReturnType<typeof startRedis>>;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis(() => {});
  redis = new Redis(redisAddress(server.url));
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** Furnishes a tenant, and makes each call on it with a library that does not fail. */
async function startTenant(hasQueue: boolean, nowMs: number): Promise<Tenant> {
  const sound = await startEngine(undefined, server.url);
  const tenant = await furnished(sound, redis, hasQueue, nowMs);
  const expected = await outcomesOf(tenant);
  sound.stop();
  const includes = { 'frame/now': STEERED_CLOCK, 'frame/run': await failingRun(redis) };
  const unsound = await startEngine(sound.credential.tenant, server.url, includes);
  return { ...tenant, running: { ...unsound, credential: sound.credential }, expected };
}

describe.each([
  ['nothing is due', START],
  ['a lease and a grant have ended', START + 55_000],
])('where one of the Redis calls of a function fails, and %s', (_, nowMs) => {
  let tenants: readonly Tenant[];
  let failures = 0;
  beforeAll(async () => {
    // With a queue and without: the latter's requests for plain names go the plain way.
    tenants = await Promise.all([true, true, false, false].map((hasQueue) => startTenant(hasQueue, nowMs)));
  });
  afterAll(() => {
    for (const { running } of tenants) running.stop();
  });

  /** Makes the next of the calls on a tenant: it must answer as if no call had failed. */
  async function expectSound(tenant: Tenant, after: string): Promise<void> {
    const nth = failures++ % EXAMPLE_CALLS.length;
    const one = EXAMPLE_CALLS[nth];
    if (one === undefined) return;
    expect(await outcomeOf(tenant, one), `${one.title}, after ${after}`).toEqual(tenant.expected[nth]);
  }

  test.each(EXAMPLE_CALLS)('$title: nothing is half done, and the next call does not notice', async (one) => {
    for (const tenant of tenants.filter((__, i) => i % 2 === 0)) {
      const others = tenants.filter((other) => other !== tenant);
      for (let at = 1; ; at++) {
        await restore(redis, tenant.state);
        await redis.set(FAIL_AT, at);
        const reply = await replyOf(tenant.running, one);
        await redis.del(FAIL_AT);
        if (!reply.startsWith(FAILED)) break;
        const where = `${one.title} failed at its call ${at}`;
        expect(reply).toContain(`call ${at} fails`);
        if (!(await isStill(redis, tenant.state)))
          expect(await storedIn(redis, tenant.keys), where).toEqual(tenant.stored);
        const next = at % 2 === 0 ? tenant : others[((at - 1) / 2) % others.length];
        if (next) await expectSound(next, where);
      }
    }
  });
});
