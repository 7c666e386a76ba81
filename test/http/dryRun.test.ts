/**
 * `?dryRun=true`: a response says what would happen, and nothing changes
 * (docs/specification.md#asking-without-doing).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult, UnreserveResult } from '../../src/contract/reservations.ts';
import { readHot } from '../../src/redis/layouts.ts';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { hotOf } from '../support/hotRecord.ts';
import { poll, queue, wanted } from '../support/polls.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { watch } from '../support/watch.ts';

let holdfast: Instance;
beforeAll(async () => {
  const keys = [makeConfiguredKey(makeTenant(), 'worker')];
  holdfast = await startInstance({ keys, includes: { 'frame/now': STEERED_CLOCK } });
});
afterAll(() => holdfast.stop());
beforeEach(async () => {
  await holdfast.reset();
  // The second one writes what the first one ended into the history, which a background job would do during a test.
  await holdfast.reset();
});

const ask = <Result>(verb: string, body: unknown, more = '') =>
  holdfast.request<Result>('POST', `/api/v1/Reservation/${verb}?dryRun=true${more}`, body);
const reserve = (...items: object[]) => ask<ReserveResult[]>('reserve', items);
const unreserve = (...items: object[]) => ask<UnreserveResult[]>('unreserve', items);
const transaction = (method: string, ...requests: object[]) =>
  ask<TransactionResult>('transaction', { method, requests });
const take = (resource: string, requester = 'ann', more = {}) => ({
  requestType: 'RESERVE',
  resource,
  requester,
  ...more,
});

let fresh = 0;

/**
 * Everything that Redis holds of the tenant, but for notes that its keys are in use, and leases of streams and calls.
 */
async function state(): Promise<Record<string, unknown>> {
  const { redis, tenant } = holdfast;
  const keys = (await redis.keys(`{${tenant}}:*`)).filter((key) => !/:(activity|used|streams|refusals:\d+)$/.test(key));
  const entries = keys.toSorted().map(async (key): Promise<[string, unknown]> => {
    const type = await redis.type(key);
    if (type === 'hash') {
      const { hot, beats: _, ...fields } = await redis.hgetallBuffer(key);
      return [key, { ...fields, ...(hot && { hot: { ...readHot(hot), listenUntil: 0 } }) }];
    }
    if (type === 'stream') return [key, await redis.xlen(key)];
    return [key, type === 'zset' ? await redis.zrangebyscore(key, '-inf', '+inf', 'WITHSCORES') : await redis.get(key)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Runs calls, and checks that they change nothing in Redis and send no event. */
async function changesNothing<Result>(run: () => Promise<Result>): Promise<Result> {
  const subscriber = await watch(holdfast);
  const { redis, tenant } = holdfast;
  // Redis remembers replies for 5 s: none may end between the two looks.
  for (const key of await redis.keys(`{${tenant}}:answer:*`)) await redis.del(key);
  const before = await state();
  const result = await run();
  expect(await state()).toEqual(before);
  // Events come in order: one of a dry run would come before this one.
  const resource = `last${fresh++}`;
  await holdfast.reserve({ resource, requester: 'last' });
  const [first] = await subscriber.count(1);
  expect(first).toMatchObject({ type: 'RESERVED', resource });
  subscriber.close();
  return result;
}

const NO_TOKEN = { releaseToken: null, fencingToken: null };

describe('a dry run of a reserve', () => {
  test('says ACQUIRED with what would be taken and until when, changes nothing, and has no token', async () => {
    await holdfast.register({ name: 'pool', capacity: 2, treePath: 'root', blocks: ['ink'] });
    const at = Date.now();
    await setClock(holdfast.redis, holdfast.tenant, at);
    const { status, body } = await changesNothing(() =>
      reserve({ resource: 'pool', requester: 'ann', ttlSeconds: 60 }, { resource: 'plain', requester: 'ann' }),
    );
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        resource: 'pool',
        requester: 'ann',
        status: 'ACQUIRED',
        explanation: 'ACQUIRED',
        expiresAt: new Date(at + 60_000).toISOString(),
        acquiredSlots: { pool: 'pool_0' },
        acquiredBlockers: ['ink'],
        reservedAtPath: 'root>pool',
        ...NO_TOKEN,
      },
      {
        resource: 'plain',
        requester: 'ann',
        status: 'ACQUIRED',
        explanation: 'ACQUIRED',
        expiresAt: null,
        acquiredSlots: null,
        acquiredBlockers: null,
        reservedAtPath: null,
        ...NO_TOKEN,
      },
    ]);
    await holdfast.redis.del(`{${holdfast.tenant}}:clock`);
  });

  test('draws no fencing token', async () => {
    const field = async () => (await hotOf(holdfast.redis, holdfast.tenant)).fence;
    await holdfast.reserve({ resource: 'a', requester: 'ann' });
    const before = await field();
    await reserve({ resource: 'b', requester: 'ann' });
    await transaction('ALL_OR_NONE', take('b'), take('c'));
    expect(await field()).toBe(before);
  });

  test('sees the effect of the items before it', async () => {
    const { body } = await reserve(
      { resource: 'x', requester: 'ann' },
      { resource: 'x', requester: 'ann' },
      { resource: 'x', requester: 'bob' },
    );
    expect(body.map(({ status }) => status)).toEqual(['ACQUIRED', 'ALREADY_HAD', 'ALREADY_HELD']);
  });

  test('says ALREADY_HAD without a token', async () => {
    await holdfast.reserve({ resource: 'mine', requester: 'ann' });
    const { body } = await changesNothing(() => reserve({ resource: 'mine', requester: 'ann' }));
    expect(body).toMatchObject([{ status: 'ALREADY_HAD', ...NO_TOKEN }]);
  });

  test('says why it would be refused', async () => {
    await holdfast.register({ name: 'scanner', blocks: ['lamp'] }, { name: 'two', capacity: 2 });
    await holdfast.reserve({ resource: 'taken', requester: 'bob' }, { resource: 'lamp', requester: 'bob' });
    const { status, body } = await changesNothing(() =>
      reserve(...['taken', 'scanner', 'two_7'].map((resource) => ({ resource, requester: 'ann' }))),
    );
    expect(status).toBe(200);
    expect(body.map(({ explanation }) => explanation)).toEqual([
      'ALREADY_HELD',
      'NOT_AVAILABLE: blocker lamp is held',
      'NOT_VALID: two has 2 slots, two_0 to two_1',
    ]);
  });

  test('counts what is kept for waiting requests', async () => {
    await holdfast.register({ name: 'pair', capacity: 2 });
    const [held] = (await holdfast.reserve({ resource: 'b', requester: 'bob' })).body;
    const waiter = holdfast.request('POST', '/api/v1/Reservation/transaction', {
      method: 'ALL_OR_NONE',
      requests: [take('a', 'wim', { ttlSeconds: 60 }), take('b', 'wim', { ttlSeconds: 60 })],
      waitSeconds: 60,
    });
    await queue(holdfast, 'wim waits', (waiting) => waiting.length === 1);
    const { body } = await reserve({ resource: 'a', requester: 'ann' });
    expect(body[0]?.explanation).toBe('NOT_AVAILABLE: kept for a waiting request');
    await holdfast.unreserve({ resource: 'b', requester: 'bob', releaseToken: held?.releaseToken ?? null });
    await waiter;
  });
});

describe('a dry run with waitSeconds', () => {
  test('says WAITING with what is ahead, at once, and gets no ticket', async () => {
    await holdfast.reserve({ resource: 'busy', requester: 'bob' });
    await poll(holdfast, [wanted('busy', 'wim')], 0).first;
    const { headers, body } = await changesNothing(() =>
      ask<ReserveResult[]>('reserve', [wanted('busy', 'ann')], '&pollSeconds=30'),
    );
    expect(body).toMatchObject([
      { status: 'WAITING', explanation: 'WAITING: 1 before you', waiting: { ahead: 1, waitsFor: 'busy' }, ...NO_TOKEN },
    ]);
    expect((await holdfast.waiting()).body.map(({ requester }) => requester)).toEqual(['wim']);
    // The header asks for the same request again; that would never end.
    expect(headers.get('holdfast-waiting')).toBeNull();
  });

  test('is judged at its rank', async () => {
    await holdfast.reserve({ resource: 'busy', requester: 'bob' });
    await poll(holdfast, [wanted('busy', 'wim')], 0).first;
    const { body } = await ask<ReserveResult[]>('reserve', [wanted('busy', 'ann', { priority: 5 })]);
    expect(body).toMatchObject([{ waiting: { ahead: 0 } }]);
  });

  test('says ACQUIRED if it could be had at once', async () => {
    const { body } = await changesNothing(() => ask<ReserveResult[]>('reserve', [wanted('free', 'ann')]));
    expect(body).toMatchObject([{ status: 'ACQUIRED', waitedMs: 0, ...NO_TOKEN }]);
  });

  test('of a request that has a ticket says where it stands, and leaves it as it is', async () => {
    await holdfast.reserve({ resource: 'busy', requester: 'bob' });
    const first = await poll(holdfast, [wanted('busy', 'ann')], 0).first;
    const { body } = await changesNothing(() =>
      ask<ReserveResult[]>('reserve', [wanted('busy', 'ann', { waitSeconds: 90 })]),
    );
    expect(body).toMatchObject([{ status: 'WAITING', waiting: { ahead: 0, since: first?.waiting?.since } }]);
  });

  test('of a request whose grant is not claimed yet does not claim it', async () => {
    const [held] = (await holdfast.reserve({ resource: 'busy', requester: 'bob' })).body;
    await poll(holdfast, [wanted('busy', 'ann')], 0).first;
    await holdfast.unreserve({ resource: 'busy', requester: 'bob', releaseToken: held?.releaseToken ?? null });
    const { body } = await changesNothing(() => ask<ReserveResult[]>('reserve', [wanted('busy', 'ann')]));
    expect(body).toMatchObject([{ status: 'ACQUIRED', ...NO_TOKEN }]);
    const tried = await changesNothing(() => reserve({ resource: 'busy', requester: 'ann' }));
    expect(tried.body).toMatchObject([{ status: 'ALREADY_HAD', ...NO_TOKEN }]);
    expect((await holdfast.active('?requester=ann')).body).toMatchObject([{ claimBy: expect.any(String) }]);
    expect(await poll(holdfast, [wanted('busy', 'ann')], 0).first).toMatchObject({ status: 'ACQUIRED' });
  });

  test('of a transaction says WAITING for all its items', async () => {
    await holdfast.reserve({ resource: 'busy', requester: 'bob' });
    const requests = [take('free', 'ann', { ttlSeconds: 60 }), take('busy', 'ann', { ttlSeconds: 60 })];
    const { body } = await changesNothing(() =>
      ask<TransactionResult>('transaction', { method: 'ALL_OR_NONE', requests, waitSeconds: 60 }),
    );
    expect(body).toMatchObject({ status: 'WAITING', results: [{ waiting: { ahead: 0 } }, { waiting: { ahead: 0 } }] });
    expect((await holdfast.waiting()).body).toEqual([]);
  });
});

describe('a dry run of an unreserve', () => {
  test('says what would be released, and releases nothing', async () => {
    await holdfast.register({ name: 'press', blocks: ['ink'] });
    const [press] = (await holdfast.reserve({ resource: 'press', requester: 'ann' })).body;
    const mine = { resource: 'press', requester: 'ann', releaseToken: press?.releaseToken };
    const { status, body } = await changesNothing(() =>
      unreserve(mine, mine, { ...mine, requester: 'bob' }, { ...mine, resource: 'other' }),
    );
    expect(status).toBe(200);
    expect(body.map((one) => [one.status, one.released])).toEqual([
      ['RELINQUISHED', ['press', 'ink']],
      ['NOT_RESERVED', null],
      ['NOT_RESERVED', null],
      ['NOT_RESERVED', null],
    ]);
  });

  test('with a wrong token is a 403, as the release would be', async () => {
    await holdfast.reserve({ resource: 'a', requester: 'ann' });
    const { status, body } = await changesNothing(() => unreserve({ resource: 'a', requester: 'ann' }));
    expect(status).toBe(403);
    expect(body).toMatchObject([{ status: 'DOESNT_OWN_RESERVATION', explanation: 'INVALID_RELEASE_TOKEN' }]);
  });
});

describe('a dry run of a transaction', () => {
  beforeEach(() => holdfast.reserve({ resource: 'taken', requester: 'bob' }));

  test.each([
    ['ALL_OR_NONE', 'ROLLED_BACK', ['ROLLED_BACK', 'ALREADY_HELD', 'ROLLED_BACK']],
    ['AS_MANY_AS_POSSIBLE', 'APPLIED', ['ACQUIRED', 'ALREADY_HELD', 'ACQUIRED']],
    ['FIRST', 'APPLIED', ['ACQUIRED', 'SKIPPED', 'SKIPPED']],
  ])('by %s says what its items would get', async (method, outcome, explanations) => {
    const { body } = await changesNothing(() => transaction(method, take('a'), take('taken'), take('b')));
    expect(body).toMatchObject({ method, status: outcome });
    expect(body.results.map(({ explanation }) => explanation)).toEqual(explanations);
    for (const one of body.results) expect(one).toMatchObject(NO_TOKEN);
  });

  test('that hands over what it releases says so', async () => {
    const [mine] = (await holdfast.reserve({ resource: 'a', requester: 'ann' })).body;
    const { body } = await changesNothing(() =>
      transaction(
        'ALL_OR_NONE',
        { requestType: 'UNRESERVE', resource: 'a', requester: 'ann', releaseToken: mine?.releaseToken },
        take('a', 'cleo'),
      ),
    );
    expect(body).toMatchObject({
      status: 'APPLIED',
      results: [
        { status: 'RELINQUISHED', released: ['a'] },
        { status: 'ACQUIRED', ...NO_TOKEN },
      ],
    });
  });
});

test('a dry run ends leases that are due, as reads do', async () => {
  const at = Date.now();
  // A sweep of another test's instance must not end it before.
  await holdfast.reserve({ resource: 'leased', requester: 'bob', ttlSeconds: 600 });
  await setClock(holdfast.redis, holdfast.tenant, at + 900_000);
  const subscriber = await watch(holdfast);
  expect((await reserve({ resource: 'leased', requester: 'ann' })).body).toMatchObject([{ status: 'ACQUIRED' }]);
  expect((await subscriber.count(2)).map(({ type }) => type)).toEqual(['RESERVATION_EXPIRED', 'UNRESERVED']);
  subscriber.close();
  expect((await holdfast.active()).body).toEqual([]);
  await holdfast.redis.del(`{${holdfast.tenant}}:clock`);
});
