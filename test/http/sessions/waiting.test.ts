/**
 * Requests with a session that wait (docs/specification.md#sessions).
 */

import { beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../../src/contract/reservations.ts';
import type { BegunSession } from '../../../src/contract/sessions.ts';
import { holdfast, useInstance } from '../../support/instance.ts';
import { makeConfiguredKey, makeTenant } from '../../support/service.ts';
import { beat, begin, end, sessions } from '../../support/sessions.ts';
import { until } from '../../support/until.ts';
import { watch } from '../../support/watch.ts';

useInstance({ keys: [makeConfiguredKey(makeTenant())] });

let round = 0;
let resource = '';
let owner: ReserveResult | undefined;
let session: BegunSession;
beforeEach(async () => {
  await holdfast.reset();
  resource = `busy${round++}`;
  [owner] = (await holdfast.reserve({ resource, requester: 'owner' })).body;
  session = await begin(holdfast, 'bot', 600);
});

const item = (more = {}) => ({ resource, requester: 'bot', session: session.session, waitSeconds: 300, ...more });
const ask = async (pollSeconds: number, more = {}) =>
  (
    await holdfast.request<ReserveResult[]>('POST', `/api/v1/Reservation/reserve?pollSeconds=${pollSeconds}`, [
      item(more),
    ])
  ).body[0];
const release = () => holdfast.unreserve({ resource, requester: 'owner', releaseToken: owner?.releaseToken });
const queue = async () => (await holdfast.waiting(`?resource=${resource}`)).body;
const holders = async () =>
  (await holdfast.active(`?resource=${resource}`)).body.map(({ requester, expiresAt, claimBy }) => ({
    requester,
    expiresAt,
    claimBy,
  }));

describe('a request with a session that waits', () => {
  test('needs no ttlSeconds', async () => {
    expect(await ask(0)).toMatchObject({ status: 'WAITING' });
    expect(await queue()).toMatchObject([{ counts: [1], ttlSeconds: null }]);
  });

  test('is held until the resource is released, and then lasts as long as the session', async () => {
    const held = ask(30);
    await until('the bot waits', async () => (await queue()).length === 1);
    await release();
    expect(await held).toMatchObject({
      status: 'ACQUIRED',
      expiresAt: session.expiresAt,
      waitedMs: expect.any(Number),
      releaseToken: expect.any(String),
    });
    expect(await sessions(holdfast)).toContainEqual(expect.objectContaining({ session: session.session, holds: 1 }));
  });

  test('is attended while the session lives, without a long poll: it keeps its turn', async () => {
    await ask(0);
    expect(await queue()).toMatchObject([{ requester: 'bot', attended: true }]);
    const leaving = ask(1);
    await leaving;
    expect(await queue()).toMatchObject([{ requester: 'bot', attended: true }]);
    const { body } = await holdfast.reserve({ resource: 'free', requester: 'x' });
    expect(body).toMatchObject([{ status: 'ACQUIRED' }]);
    await release();
    expect(await holders()).toMatchObject([{ requester: 'bot' }]);
  });

  test('keeps free slots from others, as an attended one', async () => {
    await holdfast.register({ name: 'pool', capacity: 1, blocks: [resource] });
    const { body } = await holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      item({ resource: 'pool' }),
    ]);
    expect(body).toMatchObject([{ status: 'WAITING' }]);
    expect((await holdfast.reserve({ resource: 'pool', requester: 'other' })).body).toMatchObject([
      { status: 'NOT_AVAILABLE' },
    ]);
  });

  test('needs no claim: the grant is there until the session ends, and the next call gets its token', async () => {
    const stream = await watch(holdfast);
    await ask(0, { claimSeconds: 5 });
    await release();
    const events = await stream.count(5);
    expect(events.map(({ type }) => type)).toEqual(['WAITING', 'WANTED', 'UNRESERVED', 'RESERVED', 'WAIT_ENDED']);
    expect(events[3]).toMatchObject({ requester: 'bot', expiresAt: session.expiresAt });
    expect(events[3]).not.toHaveProperty('claimBy');
    stream.close();
    expect(await holders()).toEqual([{ requester: 'bot', expiresAt: session.expiresAt, claimBy: null }]);
    // Nothing of the tenant is due that could end it, but the session.
    expect(await holdfast.redis.zrange(`{${holdfast.tenant}}:waits`, '-inf', '(inf', 'BYSCORE')).toEqual([]);
    const { expiresAt } = await beat(holdfast, session);
    const claimed = await ask(0);
    expect(claimed).toMatchObject({ status: 'ACQUIRED', expiresAt });
    expect(await ask(0)).toMatchObject({ status: 'ALREADY_HAD', releaseToken: claimed?.releaseToken, expiresAt });
  });

  test('ends with the session: NOT_VALID, and its call is answered at once', async () => {
    const stream = await watch(holdfast);
    const held = ask(30);
    await until('the bot waits', async () => (await queue()).length === 1);
    expect(await end(holdfast, session)).toEqual({ status: 'ENDED', released: 0 });
    expect(await held).toMatchObject({ status: 'NOT_VALID', explanation: 'NOT_VALID: the session has ended' });
    expect(await queue()).toEqual([]);
    expect((await stream.count(3))[2]).toMatchObject({ type: 'WAIT_ENDED', explanation: 'NOT_VALID' });
    stream.close();
    await release();
    expect(await holders()).toEqual([]);
  });

  test('loses a grant that nobody has claimed when the session ends', async () => {
    await ask(0);
    await release();
    expect(await end(holdfast, session)).toEqual({ status: 'ENDED', released: 1 });
    expect(await holders()).toEqual([]);
    expect(await holdfast.redis.exists(`{${holdfast.tenant}}:tickets`, `{${holdfast.tenant}}:queues`)).toBe(0);
  });

  test('with an unknown session gets no ticket', async () => {
    expect(await ask(0, { session: '0d9b4f4e-3c1f-4b52-8a8e-6f2f0a7c9b11' })).toMatchObject({ status: 'NOT_VALID' });
    expect(await queue()).toEqual([]);
  });

  test('with the session of another requester is a 403, and gets no ticket', async () => {
    const other = item({ requester: 'other' });
    expect((await holdfast.request('POST', '/api/v1/Reservation/reserve', [other])).status).toBe(403);
    expect(await queue()).toEqual([]);
  });

  test('may be continued with a lease instead: the last call counts', async () => {
    await ask(0);
    expect(await ask(0, { session: undefined, ttlSeconds: 60 })).toMatchObject({ status: 'WAITING' });
    expect(await queue()).toMatchObject([{ attended: false }]);
    await end(holdfast, session);
    expect(await queue()).toHaveLength(1);
  });
});

describe('a transaction with a session that waits', () => {
  const body = (more = {}) => ({
    method: 'ALL_OR_NONE',
    session: session.session,
    waitSeconds: 300,
    requests: [resource, `${resource}-b`].map((name) => ({ requestType: 'RESERVE', resource: name, requester: 'bot' })),
    ...more,
  });
  const transact = async (pollSeconds: number, more = {}) =>
    (
      await holdfast.request<TransactionResult>(
        'POST',
        `/api/v1/Reservation/transaction?pollSeconds=${pollSeconds}`,
        body(more),
      )
    ).body;

  test('is granted whole, and all of it lasts as long as the session', async () => {
    const held = transact(30);
    await until('the bot waits', async () => (await queue()).length === 1);
    await release();
    const { expiresAt } = session;
    expect(await held).toMatchObject({ status: 'APPLIED', results: [{ expiresAt }, { expiresAt }] });
    expect(await end(holdfast, session)).toEqual({ status: 'ENDED', released: 2 });
  });

  test('has one session: items with different ones are a 400', async () => {
    const [a, b] = body().requests;
    const requests = [
      { ...a, session: session.session },
      { ...b, ttlSeconds: 60 },
    ];
    expect(await transact(0, { session: undefined, requests })).toBe(
      'requests[1].session must be that of the other items where waitSeconds is more than 0',
    );
  });
});

describe('the end of a session', () => {
  const waitFor = (requester: string) =>
    holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=30', [
      { resource: 'held', requester, ttlSeconds: 60, waitSeconds: 60 },
    ]);
  const isWaiting = (requester: string) => async () =>
    (await holdfast.waiting(`?requester=${requester}`)).body.length > 0;

  test('hands over to those who wait, in the same step', async () => {
    await holdfast.reserve({ resource: 'held', requester: 'bot', session: session.session });
    const next = waitFor('next');
    await until('next waits', isWaiting('next'));
    await end(holdfast, session);
    expect((await next).body).toMatchObject([{ status: 'ACQUIRED' }]);
  });

  test('frees all of it before anybody gets a part: who needs two of 300 is not overtaken by who needs one', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `part${String(i).padStart(3, '0')}`);
    await holdfast.reserve(...names.map((name) => ({ resource: name, requester: 'bot', session: session.session })));
    const both = holdfast.request<TransactionResult>('POST', '/api/v1/Reservation/transaction?pollSeconds=0', {
      method: 'ALL_OR_NONE',
      waitSeconds: 60,
      requests: [names[0], names[299]].map((name) => ({
        requestType: 'RESERVE',
        resource: name,
        requester: 'both',
        ttlSeconds: 60,
      })),
    });
    expect((await both).body.status).toBe('WAITING');
    const one = await holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource: names[0], requester: 'one', ttlSeconds: 60, waitSeconds: 60 },
    ]);
    expect(one.body).toMatchObject([{ status: 'WAITING' }]);
    expect(await end(holdfast, session)).toEqual({ status: 'ENDED', released: 300 });
    expect((await holdfast.active()).body.map(({ requester }) => requester).sort()).toEqual(['both', 'both', 'owner']);
  });
});
