/**
 * Sessions as callers see them: begin, renew, end and list (docs/specification.md#sessions).
 */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Event } from '../../../src/contract/events.ts';
import { BegunSession, EndedSession, RenewedSession, Session } from '../../../src/contract/sessions.ts';
import { inPieces } from '../../support/client.ts';
import { type Instance, startInstance } from '../../support/service.ts';
import {
  at,
  beat,
  begin,
  end,
  goTo,
  held,
  holdfast,
  names,
  session,
  sessions,
  useSession,
} from '../../support/sessions.ts';
import { one, tokenFor, useTokens, withToken } from '../../support/tokens.ts';
import { watch } from '../../support/watch.ts';

useSession();

describe('a session', () => {
  test('begins with an id, a token and the time at which it ends', () => {
    expect(BegunSession.strict().parse(session).expiresAt).toBe(at(60));
  });

  test('is listed with its reservations counted, and without its token', async () => {
    await holdfast.reserve(held('a'), held('b'));
    const listed = await sessions(holdfast);
    expect(listed).toEqual([
      {
        session: session.session,
        requester: 'w',
        ttlSeconds: 60,
        createdAt: at(0),
        expiresAt: at(60),
        holds: 2,
        apiKeyLabel: 'worker',
      },
    ]);
    Session.strict().parse(listed[0]);
  });

  test('is listed once, beside 1,000 others', async () => {
    const requesters = Array.from({ length: 1000 }, (_, i) => `r${i}`);
    await inPieces(requesters, (requester) => begin(holdfast, requester));
    const ids = (await sessions(holdfast)).map((one) => one.session);
    expect([ids.length, new Set(ids).size]).toEqual([1001, 1001]);
  });

  test('is renewed: it then lasts its ttlSeconds from that moment', async () => {
    await goTo(59);
    const renewed = await beat(holdfast, session);
    expect(RenewedSession.strict().parse(renewed)).toEqual({ status: 'RENEWED', expiresAt: at(119) });
    await goTo(118.999);
    expect(await sessions(holdfast)).toHaveLength(1);
    await goTo(119);
    expect(await sessions(holdfast)).toEqual([]);
    expect(await beat(holdfast, session)).toEqual({ status: 'NOT_FOUND', expiresAt: null });
  });

  test('is ended, and says how many reservations ended with it', async () => {
    await holdfast.reserve(held('a'), held('b'));
    expect(EndedSession.strict().parse(await end(holdfast, session))).toEqual({ status: 'ENDED', released: 2 });
    expect(await end(holdfast, session)).toEqual({ status: 'NOT_FOUND', released: 0 });
    expect([await names(), await sessions(holdfast)]).toEqual([[], []]);
  });

  test('is neither renewed nor ended without its token: NOT_FOUND', async () => {
    for (const token of ['b6e2d0a4-58c0-4c4e-9b57-2f7d9a1c6e03', 'nonsense', undefined]) {
      const other = { session: session.session, token: token ?? null };
      expect(await beat(holdfast, other)).toMatchObject({ status: 'NOT_FOUND' });
      expect(await end(holdfast, other)).toMatchObject({ status: 'NOT_FOUND' });
    }
    expect(await sessions(holdfast)).toHaveLength(1);
  });

  test.each([
    [{ requester: 'w' }, 'ttlSeconds is required'],
    [{ requester: 'w', ttlSeconds: 4 }, 'ttlSeconds must be an integer from 5 to 86400'],
    [{ requester: 'w', ttlSeconds: 86_401 }, 'ttlSeconds must be an integer from 5 to 86400'],
    [{ ttlSeconds: 60 }, 'requester is required'],
  ])('begins only within bounds: %j', async (body, message) => {
    const { status, body: told } = await holdfast.request('POST', '/api/v1/Session', body);
    expect([status, told]).toEqual([400, message]);
  });

  test('names are checked: an id that is no UUID is a 400', async () => {
    const { status, body } = await holdfast.request('POST', '/api/v1/Session/renew', { session: 's', token: 't' });
    expect([status, body]).toEqual([400, 'session must be the id of a session']);
  });

  test('appears with its token in no log', async () => {
    await beat(holdfast, session);
    await end(holdfast, session);
    expect(holdfast.logged.join('')).not.toContain(session.token);
  });
});

describe('the end of a session', () => {
  const events = async (ending: (short: BegunSession) => Promise<unknown>, count: number) => {
    // An event stream that a test opens ends before 60 s.
    const short = await begin(holdfast, 'w', 5);
    const own = { session: short.session };
    await holdfast.reserve(held('a', { ...own, resourceType: 'Device' }), held('b', own));
    const stream = await watch(holdfast);
    await ending(short);
    await holdfast.check({ resource: 'a' });
    const seen = await stream.count(count);
    stream.close();
    for (const one of seen) Event.strict().parse(one);
    return seen.map(({ type, resource, requester, requestType, explanation, resourceType, apiKeyLabel }) => [
      type,
      resource,
      requester,
      requestType,
      explanation,
      resourceType,
      apiKeyLabel,
    ]);
  };

  test('by time sends RESERVATION_EXPIRED and UNRESERVED for each reservation', async () => {
    expect(await events(() => goTo(5), 4)).toEqual([
      ['RESERVATION_EXPIRED', 'a', 'w', 'EXPIRE', 'EXPIRED', 'Device', 'worker'],
      ['UNRESERVED', 'a', 'w', 'EXPIRE', 'RELINQUISHED', 'Device', 'worker'],
      ['RESERVATION_EXPIRED', 'b', 'w', 'EXPIRE', 'EXPIRED', 'UserDefined', 'worker'],
      ['UNRESERVED', 'b', 'w', 'EXPIRE', 'RELINQUISHED', 'UserDefined', 'worker'],
    ]);
  });

  test('by its caller sends UNRESERVED for each', async () => {
    expect(await events((short) => end(holdfast, short), 2)).toEqual([
      ['UNRESERVED', 'a', 'w', 'UNRESERVE', 'RELINQUISHED', 'Device', 'worker'],
      ['UNRESERVED', 'b', 'w', 'UNRESERVE', 'RELINQUISHED', 'UserDefined', 'worker'],
    ]);
  });

  test('leaves the reservations of other sessions, and others of its requester', async () => {
    const second = await begin(holdfast, 'w', 600);
    await holdfast.reserve(held('a'), held('b', { session: second.session }), { resource: 'c', requester: 'w' });
    await goTo(60);
    expect(await names()).toEqual(['b', 'c']);
    expect(await sessions(holdfast)).toMatchObject([{ session: second.session, holds: 1 }]);
  });
});

describe('a reset', () => {
  test('ends the reservations of a session, and not the session', async () => {
    await holdfast.reserve(held('a'), held('b'));
    expect((await holdfast.reset()).body).toEqual({ cleared: 2 });
    expect(await sessions(holdfast)).toMatchObject([{ session: session.session, holds: 0 }]);
    const [again] = (await holdfast.reserve(held('a'))).body;
    expect(again).toMatchObject({ status: 'ACQUIRED', expiresAt: at(60) });
    expect(await end(holdfast, session)).toEqual({ status: 'ENDED', released: 1 });
  });
});

/**
 * Session calls with an Idempotency-Key (docs/specification.md#repeating-safely).
 */
describe('repeated requests about sessions', () => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await startInstance();
  });
  afterAll(() => instance.stop());

  async function twice<Body>(path: string, body: unknown) {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await instance.request<Body>('POST', path, body, headers);
    const again = await instance.request<Body>('POST', path, body, headers);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    return first.body;
  }

  describe('a session call with an Idempotency-Key is carried out once, and a repeat gets its response', () => {
    test('begin, renew and end', async () => {
      const { session, token } = await twice<BegunSession>('/api/v1/Session', { requester: 'ann', ttlSeconds: 60 });
      const { body: sessions } = await instance.request<Session[]>('GET', '/api/v1/Session');
      expect(sessions.map((one) => one.session)).toEqual([session]);
      expect(await twice('/api/v1/Session/renew', { session, token })).toMatchObject({ status: 'RENEWED' });
      await instance.reserve({ resource: 'r', requester: 'ann', session });
      expect(await twice('/api/v1/Session/end', { session, token })).toEqual({ status: 'ENDED', released: 1 });
    });
  });
});

/**
 * Derived tokens begin, renew, end and use sessions of their subject only (docs/specification.md#sessions).
 */
describe('sessions and derived tokens', () => {
  useTokens();

  const begin = async (call: ReturnType<typeof withToken>, requester?: string) =>
    call<BegunSession>('POST', '/api/v1/Session', { requester, ttlSeconds: 60 });

  test('a token begins, uses, renews and ends a session of its subject, which it need not name', async () => {
    const call = withToken(await tokenFor('ann'));
    const { session, token } = (await begin(call)).body;
    const { body } = await call('POST', '/api/v1/Reservation/reserve', [{ resource: 's1', session }]);
    expect(body).toMatchObject([{ resource: 's1', requester: 'ann', status: 'ACQUIRED' }]);
    expect((await call('POST', '/api/v1/Session/renew', { session, token })).body).toMatchObject({ status: 'RENEWED' });
    const ended = await call('POST', '/api/v1/Session/end', { session, token });
    expect(ended.body).toEqual({ status: 'ENDED', released: 1 });
  });

  test('a token begins no session of another requester', async () => {
    expect((await begin(withToken(await tokenFor('ann')), 'bob')).status).toBe(403);
  });

  test('a token neither uses, renews nor ends a session of another requester', async () => {
    const begun = await one.request<BegunSession>('POST', '/api/v1/Session', { requester: 'bob', ttlSeconds: 60 });
    const { session, token } = begun.body;
    const call = withToken(await tokenFor('ann'));
    expect((await call('POST', '/api/v1/Reservation/reserve', [{ resource: 's2', session }])).status).toBe(403);
    for (const path of ['/api/v1/Session/renew', '/api/v1/Session/end'])
      expect([path, (await call('POST', path, { session, token })).status]).toEqual([path, 403]);
    expect((await one.request('POST', '/api/v1/Session/end', { session, token })).body).toMatchObject({
      status: 'ENDED',
    });
  });
});
