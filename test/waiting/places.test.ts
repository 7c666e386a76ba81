/**
 * Tenants and tickets share the long polls of an instance (docs/specification.md#waiting-lifetimes).
 */
import { describe, expect, test } from 'vitest';
import type { Tier } from '../../src/domain/tiers.ts';
import { createClient } from '../support/client.ts';
import { type Poll, poll, queue, wanted } from '../support/polls.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Starts an instance with tenants who each hold `r`. Returns it, and their clients. */
async function startFor(maxLongPolls: number, ...tiers: readonly Tier[]) {
  const keys = tiers.map((tier) => ({ ...makeConfiguredKey(makeTenant()), tier }));
  const instance = await startInstance({ keys, env: { MAX_LONG_POLLS: String(maxLongPolls) } });
  const tenants = keys.map(({ key }) => createClient(instance.url, key));
  for (const tenant of tenants) await tenant.reserve({ resource: 'r', requester: 'owner' });
  return { instance, tenants: keys.map(({ key }) => ({ url: instance.url, key })) };
}
/** ms. Calls are answered after 20 s in any case. */
const BEFORE_THEIR_TIME = 15_000;

type Tenant = Pick<Instance, 'url' | 'key'>;

/** Sends calls for `r`, one after the other, each when the one before has its ticket. */
async function holdAll(tenant: Tenant, requesters: readonly string[]): Promise<Poll[]> {
  const held: Poll[] = [];
  for (const requester of requesters) {
    held.push(poll(tenant, [wanted('r', requester)]));
    await queue(createClient(tenant.url, tenant.key), `${requester} waits`, (all) =>
      all.some((row) => row.requester === requester),
    );
  }
  return held;
}

/** Sends a call as a client does: again if it is refused. Returns it once it polls, or is answered otherwise. */
async function holdAgain(tenant: Tenant, requester: string, isHeld: () => boolean): Promise<Poll> {
  let held = poll(tenant, [wanted('r', requester)]);
  await until(
    'the long poll has begun',
    async () => {
      if (held.isAnswered && (await held.response).status === 503) held = poll(tenant, [wanted('r', requester)]);
      return isHeld();
    },
    BEFORE_THEIR_TIME,
  );
  return held;
}

const answered = (held: readonly Poll[]) => held.map(({ isAnswered }) => isAnswered);

describe('the share of a tenant in the long polls of an instance', () => {
  test('is used up: its oldest call is answered WAITING, and the new one is held', async () => {
    const { instance, tenants } = await startFor(40, 'Free');
    const [free = instance] = tenants;
    const held = await holdAll(free, ['a', 'b']);
    const last = await holdAgain(free, 'c', () => held[0]?.isAnswered === true);
    expect(await held[0]?.first).toMatchObject({ status: 'WAITING' });
    await queue(createClient(free.url, free.key), 'the new one waits', (all) => all.length === 3);
    expect(answered([...held, last])).toEqual([true, false, false]);
    await instance.stop();
  });

  test('is larger in a higher tier: a twentieth, a fifth, a half, all', async () => {
    const { instance, tenants } = await startFor(20, 'Free', 'Starter', 'Pro', 'Enterprise');
    for (const [i, share] of [1, 4, 10, 20].entries()) {
      const tenant = tenants[i] ?? instance;
      const held = await holdAll(
        tenant,
        Array.from({ length: share }, (_, n) => `w${n}`),
      );
      expect(answered(held)).not.toContain(true);
      const more = poll(tenant, [wanted('r', 'more')]);
      await until('one is answered', () => answered([...held, more]).includes(true), BEFORE_THEIR_TIME);
      for (const one of [...held, more]) one.hangUp();
      await Promise.allSettled([...held, more].map(({ response }) => response));
    }
    await instance.stop();
  });

  test('is used up by calls that have just come: a new one is a 503, so that repeats do not drive each other out', async () => {
    const { instance, tenants } = await startFor(20, 'Free');
    const [free = instance] = tenants;
    await until('a call within a second of another one is refused', async () => {
      const both = ['a', 'b'].map((requester) => poll(free, [wanted('r', requester)], 1));
      const answers = await Promise.all(both.map(({ response }) => response));
      const refused = answers.find(({ status }) => status === 503);
      if (refused === undefined) return false;
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(refused.body).toMatchObject({ code: 'OVERLOADED', error: expect.stringContaining('Nothing was done') });
      return true;
    });
    expect((await poll(free, [wanted('r', 'detached')], 0).response).status).toBe(200);
    await instance.stop();
  });
});

describe('an instance that has as many long polls as it can', () => {
  test('answers the oldest call of the tenant that has most, and refuses no other tenant', async () => {
    const { instance, tenants } = await startFor(4, 'Enterprise', 'Enterprise', 'Enterprise');
    const [greedy = instance, small = instance, other = instance] = tenants;
    const mine = await holdAll(small, ['a']);
    const theirs = await holdAll(greedy, ['a', 'b', 'c']);
    const next = await holdAll(other, ['a']);
    expect(await theirs[0]?.first).toMatchObject({ status: 'WAITING' });
    const last = await holdAll(small, ['b']);
    expect(await theirs[1]?.first).toMatchObject({ status: 'WAITING' });
    expect(answered([...mine, ...next, ...last, ...theirs])).toEqual([false, false, false, true, true, false]);
    await instance.stop();
  });
});

describe('a ticket', () => {
  test('has three long polls at an instance: with a fourth, the oldest is answered WAITING', async () => {
    const { instance, tenants } = await startFor(100, 'Enterprise');
    const [tenant = instance] = tenants;
    const calls: Poll[] = [];
    for (let i = 0; i < 4; i++) calls.push(...(await holdAll(tenant, ['a'])));
    await until('one is answered', () => answered(calls).includes(true), BEFORE_THEIR_TIME);
    const first = calls.find(({ isAnswered }) => isAnswered);
    expect(await first?.first).toMatchObject({ status: 'WAITING' });
    await createClient(tenant.url, tenant.key).cancel({ resource: 'r', requester: 'a' });
    const results = await Promise.all(calls.map((call) => call.first));
    expect(results.filter((result) => result?.explanation === 'NOT_AVAILABLE: cancelled')).toHaveLength(3);
    await instance.stop();
  });
});
