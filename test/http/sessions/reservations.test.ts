/**
 * The reservations of sessions as callers see them (docs/specification.md#sessions).
 */
import { describe, expect, test } from 'vitest';
import { ActiveReservation, type ReserveResult, type TransactionResult } from '../../../src/contract/reservations.ts';
import { at, beat, end, goTo, held, holdfast, names, session, sessions, useSession } from '../../support/sessions.ts';
import { watch } from '../../support/watch.ts';

useSession();

describe('a reservation with a session', () => {
  test('has the expiresAt of the session, wherever it is shown', async () => {
    const stream = await watch(holdfast);
    const [first] = (await holdfast.reserve(held('a'))).body;
    expect(first).toMatchObject({ status: 'ACQUIRED', expiresAt: at(60) });
    await goTo(10);
    await beat(holdfast, session);
    expect((await holdfast.reserve(held('a'))).body).toMatchObject([{ status: 'ALREADY_HAD', expiresAt: at(70) }]);
    expect((await holdfast.check({ resource: 'a' })).body).toMatchObject([{ reserved: true, expiresAt: at(70) }]);
    const [listed] = (await holdfast.active()).body;
    expect(ActiveReservation.strict().parse(listed)).toMatchObject({ expiresAt: at(70), session: session.session });
    const [event] = await stream.count(1);
    expect(event).toMatchObject({ type: 'RESERVED', expiresAt: at(60) });
    stream.close();
  });

  test('is renewed with it: its own renewal answers RENEWED with the expiresAt of the session', async () => {
    const [first] = (await holdfast.reserve(held('a'))).body;
    await goTo(10);
    const { body } = await holdfast.renew({
      resource: 'a',
      requester: 'w',
      releaseToken: first?.releaseToken,
      ttlSeconds: 5,
    });
    expect(body).toMatchObject([{ status: 'RENEWED', expiresAt: at(60) }]);
    await goTo(59);
    expect(await names()).toEqual(['a']);
  });

  test('is released like any other', async () => {
    const [first] = (await holdfast.reserve(held('a'), held('b'))).body;
    await holdfast.unreserve({ resource: 'a', requester: 'w', releaseToken: first?.releaseToken });
    expect(await names()).toEqual(['b']);
    expect(await sessions(holdfast)).toMatchObject([{ holds: 1 }]);
    expect(await end(holdfast, session)).toEqual({ status: 'ENDED', released: 1 });
  });

  test('may have a plan: a slot of a pool, ancestors and blockers end with it', async () => {
    await holdfast.register({ name: 'pool', capacity: 2, treePath: 'root', blocks: ['tool'] });
    const [first] = (await holdfast.reserve(held('pool'))).body;
    expect(first).toMatchObject({ acquiredSlots: { pool: 'pool_0' }, acquiredBlockers: ['tool'], expiresAt: at(60) });
    await end(holdfast, session);
    const { body } = await holdfast.check({ resource: 'pool' }, { resource: 'root' }, { resource: 'tool' });
    expect(body.map(({ reserved }) => reserved)).toEqual([false, false, false]);
  });

  test('has a session or ttlSeconds: both are a 400', async () => {
    const { status, body } = await holdfast.request('POST', '/api/v1/Reservation/reserve', [
      held('a', { ttlSeconds: 9 }),
    ]);
    expect([status, body]).toEqual([400, '[0].session must not stand beside ttlSeconds']);
  });

  test('takes a session that lives: an unknown or ended one is NOT_VALID', async () => {
    const unknown = held('a', { session: '0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11' });
    const refused = { status: 'NOT_VALID', explanation: 'NOT_VALID: there is no such session, or it has ended' };
    expect((await holdfast.reserve(unknown)).body).toMatchObject([refused]);
    await end(holdfast, session);
    expect((await holdfast.reserve(held('a'))).body).toMatchObject([refused]);
  });

  test('takes a session of its requester: that of another is a 403, and nothing is done', async () => {
    const { status, body } = await holdfast.request('POST', '/api/v1/Reservation/reserve', [
      held('a'),
      held('b', { requester: 'other' }),
    ]);
    expect([status, body]).toEqual([403, { error: 'This session belongs to another requester.', code: 'FORBIDDEN' }]);
    expect(await names()).toEqual([]);
  });

  test('with a match is NOT_VALID too if its session is unknown', async () => {
    await holdfast.register({ name: 'phone', labels: { os: 'android' } });
    const [known, unknown] = [session.session, '0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11'];
    const ask = async (one: string) =>
      (
        await holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve', [
          { match: { os: 'android' }, requester: 'w', session: one },
        ])
      ).body;
    const refused = { status: 'NOT_VALID', explanation: 'NOT_VALID: there is no such session, or it has ended' };
    expect(await ask(unknown)).toMatchObject([refused]);
    expect(await ask(known)).toMatchObject([{ status: 'ACQUIRED', resource: 'phone' }]);
    expect(await ask(unknown)).toMatchObject([refused]);
  });

  test('of another requester harms no request of the same batch', async () => {
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        holdfast.request('POST', '/api/v1/Reservation/reserve', [held(`a${i}`, { requester: i % 4 ? 'w' : 'other' })]),
      ),
    );
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, (_, i) => (i % 4 ? 200 : 403)));
  });
});

describe('a dry run with a session', () => {
  test('says what would happen, and makes nothing', async () => {
    const path = '/api/v1/Reservation/reserve?dryRun=true';
    const { body } = await holdfast.request<{ status: string }[]>('POST', path, [held('a')]);
    expect(body).toMatchObject([{ status: 'ACQUIRED', expiresAt: at(60) }]);
    expect((await holdfast.request('POST', path, [held('a', { requester: 'other' })])).status).toBe(403);
    expect(await sessions(holdfast)).toMatchObject([{ holds: 0 }]);
  });
});

describe('a transaction with a session', () => {
  const transact = (body: object) =>
    holdfast.request<TransactionResult>('POST', '/api/v1/Reservation/transaction', body);
  const requests = [
    { requestType: 'RESERVE', resource: 'a', requester: 'w' },
    { requestType: 'RESERVE', resource: 'b', requester: 'w' },
  ];

  test('makes reservations that last as long as the session', async () => {
    const stream = await watch(holdfast);
    const { body } = await transact({ method: 'ALL_OR_NONE', session: session.session, requests });
    expect(body).toMatchObject({ status: 'APPLIED', results: [{ expiresAt: at(60) }, { expiresAt: at(60) }] });
    expect(await sessions(holdfast)).toMatchObject([{ holds: 2 }]);
    const [event] = await stream.count(1);
    expect(event?.changes?.map(({ expiresAt }) => expiresAt)).toEqual([at(60), at(60)]);
    stream.close();
  });

  test('may have it on some items only', async () => {
    const [a, b] = requests;
    const { body } = await transact({
      method: 'AS_MANY_AS_POSSIBLE',
      requests: [
        { ...a, session: session.session },
        { ...b, ttlSeconds: 5 },
      ],
    });
    expect(body).toMatchObject({ results: [{ expiresAt: at(60) }, { expiresAt: at(5) }] });
    await end(holdfast, session);
    expect(await names()).toEqual(['b']);
  });

  test('that is rolled back leaves nothing in the session', async () => {
    await holdfast.reserve({ resource: 'b', requester: 'other' });
    const { body } = await transact({ method: 'ALL_OR_NONE', session: session.session, requests });
    expect(body).toMatchObject({ status: 'ROLLED_BACK' });
    expect(await sessions(holdfast)).toMatchObject([{ holds: 0 }]);
  });

  test.each([
    [{ ttlSeconds: 5 }, 'requests[0].session must not stand beside ttlSeconds'],
    [{ session: '0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11' }, 'requests[0].session stands beside method already'],
  ])('has it once: an item with %j is a 400', async (more, message) => {
    const { status, body } = await transact({
      method: 'FIRST',
      session: session.session,
      requests: [{ ...requests[0], ...more }],
    });
    expect([status, body]).toEqual([400, message]);
  });

  test('of another requester is a 403', async () => {
    const others = requests.map((one) => ({ ...one, requester: 'other' }));
    expect((await transact({ method: 'FIRST', session: session.session, requests: others })).status).toBe(403);
    expect(await names()).toEqual([]);
  });

  test('of another requester is a 403 also where FIRST would skip its item', async () => {
    const other = { requestType: 'RESERVE', resource: 'b', requester: 'other', session: session.session };
    expect((await transact({ method: 'FIRST', requests: [requests[0], other] })).status).toBe(403);
    expect(await names()).toEqual([]);
  });
});
