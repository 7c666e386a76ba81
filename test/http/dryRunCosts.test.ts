/**
 * `?dryRun=true`: what it costs, and which values and headers it may have
 * (docs/specification.md#asking-without-doing).
 */

import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { wanted } from '../support/polls.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { watch } from '../support/watch.ts';

useInstance();

const ask = (verb: string, body: unknown, headers = {}) =>
  holdfast.request('POST', `/api/v1/Reservation/${verb}?dryRun=true`, body, headers);

describe('costs', () => {
  test('one read for each item, and no write; the headers show the quota of reads', async () => {
    const limited = await startInstance({ keys: [{ ...makeConfiguredKey(makeTenant()), tier: 'Free' }] });
    const remaining = ({ headers }: { headers: Headers }, limit: string) =>
      Number(new RegExp(`"${limit}";r=(\\d+)`).exec(headers.get('RateLimit') ?? '')?.[1]);
    const post = (verb: string, body: unknown) =>
      limited.request('POST', `/api/v1/Reservation/${verb}?dryRun=true`, body);
    const items = ['a', 'b', 'c'].map((resource) => ({ resource, requester: 'ann' }));
    try {
      const writes = remaining(await limited.reserve({ resource: 'z', requester: 'ann' }), 'OperationsPerMinute');
      const reads = remaining(await limited.check({ resource: 'z' }), 'ReadsPerMinute');
      const answers = [
        await post('reserve', items),
        await post('unreserve', items),
        await post('transaction', {
          method: 'FIRST',
          requests: items.map((one) => ({ requestType: 'RESERVE', ...one })),
        }),
      ];
      expect(answers.map((one) => remaining(one, 'ReadsPerMinute'))).toEqual([reads - 3, reads - 6, reads - 9]);
      expect(answers.map((one) => one.headers.get('RateLimit'))).toEqual(
        answers.map(() => expect.not.stringContaining('Operations')),
      );
      expect(remaining(await limited.reserve({ resource: 'y', requester: 'ann' }), 'OperationsPerMinute')).toBe(
        writes - 1,
      );
    } finally {
      await limited.stop();
    }
  });

  test('no read, if fewer are left: 429', async () => {
    const env = { TIERS: JSON.stringify({ Free: { readsPerMinute: 2 } }) };
    const limited = await startInstance({ env, keys: [{ ...makeConfiguredKey(makeTenant()), tier: 'Free' }] });
    const items = ['a', 'b', 'c'].map((resource) => ({ resource, requester: 'ann' }));
    const { status, body } = await limited.request('POST', '/api/v1/Reservation/reserve?dryRun=true', items);
    await limited.stop();
    expect([status, body]).toMatchObject([429, { limitType: 'ReadsPerMinute' }]);
  });

  test('over the cap on reservations it says 429 as the request would, and sends no event', async () => {
    const env = { TIERS: JSON.stringify({ Free: { reservations: 1 } }) };
    const limited = await startInstance({ env, keys: [{ ...makeConfiguredKey(makeTenant()), tier: 'Free' }] });
    const subscriber = await watch(limited);
    const items = ['a', 'b'].map((resource) => ({ resource, requester: 'ann' }));
    const { status, body } = await limited.request('POST', '/api/v1/Reservation/reserve?dryRun=true', items);
    expect([status, body]).toMatchObject([429, { limitType: 'ConcurrentReservations' }]);
    expect((await limited.active()).body).toEqual([]);
    await limited.reserve({ resource: 'c', requester: 'ann' });
    expect(await subscriber.count(1)).toMatchObject([{ type: 'RESERVED' }]);
    subscriber.close();
    await limited.stop();
  });
});

test('a dry run that exceeds the work budget is refused, charged as reads, and changes nothing', async () => {
  const blocks = Array.from({ length: 60 }, (_, i) => `blocker${i}`);
  await holdfast.register({ name: 'large', capacity: 500, blocks });
  const usage = () => holdfast.redis.hgetall(`{${holdfast.tenant}}:tenant`);
  const before = await usage();
  const items = Array.from({ length: 100 }, (_, i) => ({ resource: 'large', requester: `r${i}` }));
  for (const [verb, asked] of [
    ['reserve', items],
    ['transaction', { method: 'ALL_OR_NONE', requests: items.map((one) => ({ requestType: 'RESERVE', ...one })) }],
  ] as const) {
    const { status, headers } = await ask(verb, asked);
    expect([status, headers.get('holdfast-error')]).toEqual([400, 'REFUSED']);
  }
  expect(await usage()).toEqual(before);
});

describe('the parameter', () => {
  test.each(['yes', '', '1', 'TRUE'])('dryRun=%s is a 400, and nothing is done', async (value) => {
    for (const verb of ['reserve', 'unreserve'] as const) {
      const item = [{ resource: 'p', requester: 'ann' }];
      const { status, body } = await holdfast.request('POST', `/api/v1/Reservation/${verb}?dryRun=${value}`, item);
      expect([status, body]).toEqual([400, 'dryRun must be true or false']);
    }
    expect((await holdfast.active()).body).toEqual([]);
  });

  test('dryRun=false does what the request says', async () => {
    const path = '/api/v1/Reservation/reserve?dryRun=false';
    const { body } = await holdfast.request<ReserveResult[]>('POST', path, [{ resource: 'p', requester: 'ann' }]);
    expect(body[0]?.releaseToken).toEqual(expect.any(String));
  });

  test.each([
    ['reserve', [{ resource: 'p', requester: 'ann' }]],
    ['unreserve', [{ resource: 'p', requester: 'ann' }]],
    ['transaction', { method: 'FIRST', requests: [{ requestType: 'RESERVE', resource: 'p', requester: 'ann' }] }],
  ])('with an Idempotency-Key, %s is a 400', async (verb, body) => {
    const refused = await ask(verb, body, { 'Idempotency-Key': 'k1' });
    expect([refused.status, refused.headers.get('holdfast-error')]).toEqual([400, 'MALFORMED_REQUEST']);
    expect(refused.body).toMatch(/^Idempotency-Key must not be sent with dryRun=true/);
  });

  test('a priority that the credential may not have is refused, as without it', async () => {
    await holdfast.redis.hset(`{${holdfast.tenant}}:tenant`, 'maxPriority', 3);
    const { status, body } = await ask('reserve', [wanted('p', 'ann', { priority: 4 })]);
    await holdfast.redis.hdel(`{${holdfast.tenant}}:tenant`, 'maxPriority');
    expect([status, body]).toEqual([400, '[0].priority must be at most 3 by the setting maxPriority of the tenant']);
  });
});
