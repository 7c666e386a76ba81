/**
 * A key with a prefix changes only what starts with it, in each call and on no detour
 * (docs/specification.md#restricted-keys).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../src/contract/reservations.ts';
import { type Client, createClient } from '../support/client.ts';
import { wanted } from '../support/polls.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { beat, begin, end } from '../support/sessions.ts';

const tenant = makeTenant();
const full = makeConfiguredKey(tenant);
const limited = { ...makeConfiguredKey(tenant, 'ci'), prefix: 'ci/' };
let holdfast: Instance;
/** The holder of the key with the prefix. */
let ci: Client;
beforeAll(async () => {
  holdfast = await startInstance({ keys: [full, limited] });
  ci = createClient(holdfast.url, limited.key);
});
afterAll(() => holdfast.stop());
beforeEach(async () => {
  await holdfast.reset();
  const { body } = await holdfast.definitions();
  for (const { name, treePath } of body) if (treePath === null) await holdfast.delete(name, '?cascade=true');
});

const item = (resource: string, more = {}) => ({ resource, requester: 'r', ttlSeconds: 60, ...more });
/** An item that releases. */
const own = (resource: string, got?: ReserveResult, requester = 'r') => ({
  resource,
  requester,
  releaseToken: got?.releaseToken,
});
const held = async () => (await holdfast.active()).body.map(({ resource }) => resource).sort();
const forbidden = (error: unknown) => ({ status: 403, body: { error, code: 'FORBIDDEN' } });
const only = (place: string, rule = 'start with') =>
  forbidden(`${place} must ${rule} "ci/": this key may change no other names.`);
/** Sends a request that waits without a long poll. */
const ask = <Body>(client: Client, verb: string, body: unknown) =>
  client.request<Body>('POST', `/api/v1/Reservation/${verb}?pollSeconds=0`, body);
/** A transaction that waits for a name within the prefix and for another one. */
const both = {
  method: 'ALL_OR_NONE',
  waitSeconds: 60,
  claimSeconds: 600,
  requests: ['prod', 'ci/a'].map((resource) => ({ requestType: 'RESERVE', resource, requester: 'q', ttlSeconds: 60 })),
};

describe('it changes names that start with the prefix', () => {
  test('reserve, renew, release, transaction, wait, cancel, register and delete', async () => {
    expect((await ci.register({ name: 'ci/pool', capacity: 4, blocks: ['ci/ink'], treePath: 'ci/top' })).status).toBe(
      200,
    );
    const [got] = (await ci.reserve(item('ci/pool_3'))).body;
    expect(got).toMatchObject({ status: 'ACQUIRED', acquiredSlots: { 'ci/pool': 'ci/pool_3' } });
    expect((await ci.reserve(item('ci/top>ci/pool', { requester: 'q' }))).body[0]?.status).toBe('NOT_AVAILABLE');
    expect((await ci.renew({ ...own('ci/pool_3', got), ttlSeconds: 9 })).body).toMatchObject([{ status: 'RENEWED' }]);
    expect((await ask(ci, 'reserve', [wanted('ci/pool_3', 'q')])).body).toMatchObject([{ status: 'WAITING' }]);
    expect((await ci.cancel({ resource: 'ci/pool_3', requester: 'q' })).body).toMatchObject([{ status: 'CANCELLED' }]);
    expect((await ci.unreserve(own('ci/pool_3', got))).body).toMatchObject([{ status: 'RELINQUISHED' }]);
    const { body } = await ci.transaction('ALL_OR_NONE', { requestType: 'RESERVE', ...item('ci/a') });
    expect(body.status).toBe('APPLIED');
    await holdfast.reset();
    expect((await ci.delete('ci/top', '?cascade=true')).body.deleted.sort()).toEqual(['ci/pool', 'ci/top']);
  });

  test('what such a resource takes along may have any name: the tenant has defined it', async () => {
    await holdfast.register({ name: 'ci/x', blocks: ['licence'], treePath: 'house' });
    const [got] = (await ci.reserve(item('ci/x'))).body;
    expect(got).toMatchObject({ status: 'ACQUIRED', acquiredBlockers: ['licence'], reservedAtPath: 'house>ci/x' });
    expect((await ci.unreserve(own('ci/x', got))).status).toBe(200);
  });

  test('a request of it that waits is told who is in the way', async () => {
    await holdfast.reserve(item('ci/a'));
    const path = '/api/v1/Reservation/reserve?pollSeconds=1';
    expect((await ci.request('POST', path, [wanted('ci/a', 'q')])).body).toMatchObject([
      { status: 'WAITING', waiting: { reason: { holders: [{ requester: 'r' }] } } },
    ]);
  });

  test('and reads everything', async () => {
    await holdfast.reserve(item('prod'));
    expect((await ci.active()).body.map(({ resource }) => resource)).toEqual(['prod']);
    expect((await ci.check({ resource: 'prod' })).body).toMatchObject([{ reserved: true }]);
  });
});

describe('a request that names anything else is refused as a whole', () => {
  test.each([
    ['another name', 'prod'],
    ['a name that only contains the prefix', 'x-ci/'],
    ['the prefix in other case', 'CI/a'],
    ['a path that leads elsewhere', 'ci/top>prod'],
    ['a path that comes from elsewhere', 'house>ci/a'],
  ])('%s', async (_, resource) => {
    const ok = item('ci/a');
    expect(await ci.reserve(ok, item(resource))).toMatchObject(only('[1].resource'));
    expect(await ci.renew({ ...own(resource), ttlSeconds: 9 })).toMatchObject(only('[0].resource'));
    expect(await ci.unreserve(own('ci/a'), own(resource))).toMatchObject(only('[1].resource'));
    expect(await ci.cancel({ resource, requester: 'r' })).toMatchObject(only('[0].resource'));
    const reserve = { requestType: 'RESERVE', ...ok } as const;
    const unreserve = { requestType: 'UNRESERVE', resource, requester: 'r' } as const;
    for (const method of ['ALL_OR_NONE', 'AS_MANY_AS_POSSIBLE'])
      expect(await ci.transaction(method, reserve, unreserve)).toMatchObject(only('requests[1].resource'));
    expect(await ci.transaction('FIRST', reserve, { ...reserve, resource })).toMatchObject(
      only('requests[1].resource'),
    );
    expect(await held()).toEqual([]);
  });

  test('and costs nothing', async () => {
    const left = async () =>
      Number((await holdfast.reserve(item('spent'))).headers.get('RateLimit')?.match(/r=(\d+)/)?.[1]);
    const before = await left();
    await ci.reserve(...Array.from({ length: 50 }, () => item('prod')));
    expect(await left()).toBe(before - 1);
  });

  test('registering: its name, its blockers, and all ancestors', async () => {
    const fields = { name: 'ci/x', capacity: 2 };
    expect(await ci.register(fields, { name: 'prod' })).toMatchObject(only('[1].name'));
    expect(await ci.register({ ...fields, blocks: ['ci/ink', 'ink'] })).toMatchObject(only('[0].blocks'));
    expect(await ci.register({ ...fields, treePath: 'ci/top>house' })).toMatchObject(only('[0].treePath'));
    expect((await holdfast.definitions()).body).toEqual([]);
  });

  test('deleting: the resource, and all below it', async () => {
    await holdfast.register({ name: 'prod' }, { name: 'ci/top' }, { name: 'below', treePath: 'ci/top' });
    const rule = (name: string) => forbidden(`${name} must start with "ci/": this key may delete no other names.`);
    expect(await ci.delete('prod')).toMatchObject(rule('prod'));
    expect(await ci.delete('ci/top', '?cascade=true')).toMatchObject(rule('below'));
    expect((await holdfast.definitions()).body).toHaveLength(3);
  });

  test('changing or deleting what something elsewhere gates, and moving what has others below it', async () => {
    await holdfast.register(
      { name: 'ci/below', treePath: 'prod' },
      { name: 'ci/blocked', blocks: ['prod'] },
      { name: 'ci/top' },
      { name: 'live', treePath: 'ci/top' },
    );
    const gated = (name: string) => forbidden(expect.stringContaining(`${name} is gated by prod`));
    for (const name of ['ci/below', 'ci/blocked']) {
      expect(await ci.register({ name })).toMatchObject(gated(name));
      expect(await ci.delete(name)).toMatchObject(gated(name));
    }
    expect(await ci.register({ name: 'ci/top', treePath: 'ci/new' })).toMatchObject(
      forbidden('ci/top has resources below it: a key with a prefix may not move it.'),
    );
    expect((await ci.register({ name: 'ci/top', capacity: 2 })).status).toBe(200);
    expect((await holdfast.definitions()).body).toHaveLength(5);
  });

  test('a reset', async () => {
    await holdfast.reserve(item('ci/a'));
    expect(await ci.reset()).toMatchObject(
      forbidden('This changes all names, and this key may only change those that start with "ci/".'),
    );
    expect(await held()).toEqual(['ci/a']);
  });
});

describe('no detour leads around the prefix', () => {
  test('a dry run tells nothing either', async () => {
    const { request } = ci;
    const dry = (verb: string, body: unknown) => request('POST', `/api/v1/Reservation/${verb}?dryRun=true`, body);
    expect(await dry('reserve', [item('prod')])).toMatchObject(only('[0].resource'));
    expect(await dry('unreserve', [own('prod')])).toMatchObject(only('[0].resource'));
    const requests = [{ requestType: 'RESERVE', ...item('prod') }];
    expect(await dry('transaction', { method: 'FIRST', requests })).toMatchObject(only('requests[0].resource'));
  });

  test('a request that is sent together with others fails alone', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => ci.reserve(item(i % 3 === 2 ? `prod${i}` : `ci/${i}`))),
    );
    const expected = answers.map((_, i) => (i % 3 === 2 ? 403 : 200));
    expect(answers.map(({ status }) => status)).toEqual(expected);
    expect(await held()).toHaveLength(20);
  });

  test('neither waiting for another name, nor an Idempotency-Key', async () => {
    await holdfast.reserve(item('prod'));
    expect(await ci.reserve(wanted('prod', 'q'))).toMatchObject(only('[0].resource'));
    const { request } = ci;
    const waiting = { method: 'ALL_OR_NONE', waitSeconds: 60, requests: [{ requestType: 'RESERVE', ...item('prod') }] };
    expect(await request('POST', '/api/v1/Reservation/transaction', waiting)).toMatchObject(
      only('requests[0].resource'),
    );
    const idempotency = { 'Idempotency-Key': 'k1' };
    for (let i = 0; i < 2; i++)
      expect(await request('POST', '/api/v1/Reservation/reserve', [item('prod2')], idempotency)).toMatchObject(
        only('[0].resource'),
      );
    expect(await held()).toEqual(['prod']);
  });

  test('cancelling leaves tickets that also wait for another name, or for a match', async () => {
    await holdfast.reserve(item('prod'), item('ci/a'));
    await ask(holdfast, 'transaction', both);
    await ask(holdfast, 'reserve', [wanted('ci/a', 'q')]);
    expect((await ci.cancel({ resource: 'ci/a', requester: 'q' })).body).toMatchObject([{ status: 'CANCELLED' }]);
    expect((await holdfast.waiting()).body).toMatchObject([{ resources: ['prod', 'ci/a'] }]);
    expect((await ci.cancel({ resource: 'ci/a', requester: 'q' })).body).toMatchObject([{ status: 'NOT_WAITING' }]);

    await holdfast.register({ name: 'ci/phone', labels: { 'ci/os': 'android' } });
    await holdfast.reserve(item('ci/phone'));
    const match = { match: { 'ci/os': 'android' }, requester: 'q', ttlSeconds: 60, waitSeconds: 60 };
    await ask(holdfast, 'reserve', [match]);
    const named = { resource: 'ci/os=android', requester: 'q' };
    expect((await ci.cancel(named)).body).toMatchObject([{ status: 'NOT_WAITING' }]);
    expect((await holdfast.cancel(named)).body).toMatchObject([{ status: 'CANCELLED' }]);
  });

  test('what was granted together with another name cannot be claimed', async () => {
    const [prod] = (await holdfast.reserve(item('prod'))).body;
    await ask(holdfast, 'transaction', both);
    await holdfast.unreserve(own('prod', prod));
    const claim = { ...item('ci/a'), requester: 'q' };
    const refused = forbidden(
      'What was granted together with prod can only be claimed with a key that may change this.',
    );
    expect(await ci.reserve(claim)).toMatchObject(refused);
    expect(await ci.transaction('FIRST', { requestType: 'RESERVE', ...claim })).toMatchObject(refused);
    expect((await ask<TransactionResult>(holdfast, 'transaction', both)).body).toMatchObject({
      status: 'APPLIED',
      results: [{ status: 'ACQUIRED' }, { status: 'ACQUIRED' }],
    });
  });

  test('a session that keeps another name, or waits for one, is neither renewed nor ended', async () => {
    const session = await begin(ci, 'w');
    const inSession = (resource: string, more = {}) => ({
      resource,
      requester: 'w',
      session: session.session,
      ...more,
    });
    expect((await ci.reserve(inSession('ci/a'), inSession('ci/b'))).body).toMatchObject([
      { status: 'ACQUIRED' },
      { status: 'ACQUIRED' },
    ]);
    expect(await beat(ci, session)).toMatchObject({ status: 'RENEWED' });
    const refused = { error: 'This session keeps what does not start with "ci/".', code: 'FORBIDDEN' };
    const [prod] = (await holdfast.reserve(inSession('prod'))).body;
    expect([await beat(ci, session), await end(ci, session)]).toEqual([refused, refused]);
    await holdfast.unreserve(own('prod', prod, 'w'));
    expect(await beat(ci, session)).toMatchObject({ status: 'RENEWED' });

    await holdfast.reserve(item('prod'));
    await ask(holdfast, 'reserve', [inSession('prod', { waitSeconds: 60 })]);
    expect([await beat(ci, session), await end(ci, session)]).toEqual([refused, refused]);
    expect(await held()).toEqual(['ci/a', 'ci/b', 'prod']);
    await holdfast.cancel({ resource: 'prod', requester: 'w' });
    expect(await end(ci, session)).toEqual({ status: 'ENDED', released: 2 });
  });
});
