/**
 * Reservations that somebody takes away: who may, and what the holder learns (docs/specification.md#release,
 * #taken-away).
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../src/contract/reservations.ts';
import { newToken, packToken, unpackToken } from '../../src/engine/reservations/releaseToken.ts';
import { setClock } from '../support/clock.ts';
import {
  as,
  ask,
  BY_OPERATOR,
  hold,
  holdfast,
  lose,
  NOW,
  OPERATOR,
  operator,
  release,
  renew,
  useTakingAway,
} from '../support/takingAway.ts';
import { signIn } from '../support/tenancy.ts';

const DAY_MS = 86_400_000;
const MAX_KEPT = 10_000;
useTakingAway();

describe('a person releases without a token', () => {
  test.each(['operator', 'owner'] as const)('what anybody holds, as %s', async (role) => {
    expect((await release(await as(role, null), await hold())).body).toMatchObject([{ status: 'RELINQUISHED' }]);
  });

  test('only what their verified address holds, as member', async () => {
    const member = await as('member', 'me@id.example');
    const [mine, other] = [await hold('me@id.example'), await hold('you@id.example')];
    expect((await release(member, mine)).body).toMatchObject([{ status: 'RELINQUISHED' }]);
    const refused = await release(member, other);
    expect(refused).toMatchObject({ status: 403, body: [{ explanation: 'INVALID_RELEASE_TOKEN' }] });
    // Nobody has verified that the subject is an address.
    const nobody = await signIn(holdfast.redis, holdfast.tenant, {
      role: 'member',
      email: null,
      subject: 'you@id.example',
    });
    expect((await release(nobody, other)).status).toBe(403);
    const withToken = await ask(member, 'unreserve', [other]);
    expect(withToken.body).toMatchObject([{ status: 'RELINQUISHED' }]);
  });

  test('nothing in a transaction, as member', async () => {
    const held = await hold();
    const { resource, requester } = held;
    const requests = [{ requestType: 'UNRESERVE', resource, requester }];
    const answer = await ask<TransactionResult>(await as('member', 'me@id.example'), 'transaction', {
      method: 'ALL_OR_NONE',
      requests,
    });
    expect(answer.body).toMatchObject({ status: 'ROLLED_BACK', results: [{ explanation: 'INVALID_RELEASE_TOKEN' }] });
    expect((await renew(held)).body).toMatchObject([{ status: 'RENEWED' }]);
  });
});

describe('a wait is ended', () => {
  test('by a person with the right to, and by the one whose address waits', async () => {
    const { resource } = await hold();
    const wait = (requester: string) =>
      holdfast.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
        { resource, requester, ttlSeconds: 60, waitSeconds: 60 },
      ]);
    const member = await as('member', 'me@id.example');
    await Promise.all([wait('me@id.example'), wait('you@id.example')]);
    const others = await ask(member, 'cancel', [{ resource, requester: 'you@id.example' }]);
    expect(others).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    for (const [session, requester] of [
      [member, 'me@id.example'],
      [operator, 'you@id.example'],
    ] as const)
      expect((await ask(session, 'cancel', [{ resource, requester }])).body).toMatchObject([{ status: 'CANCELLED' }]);
  });
});

describe('the holder learns who took its reservation away', () => {
  test('from a renewal and from a release, with the token alone', async () => {
    const held = await lose();
    const explanation = `NOT_RESERVED: ${BY_OPERATOR}`;
    const lost = [{ status: 'NOT_RESERVED', explanation }];
    expect(await renew(held)).toMatchObject({ status: 200, body: lost });
    expect(await holdfast.unreserve(held)).toMatchObject({ status: 200, body: lost });
    for (const releaseToken of [undefined, randomUUID(), 'no token'])
      expect((await renew({ ...held, releaseToken })).body).toMatchObject([{ explanation: 'NOT_RESERVED' }]);
  });

  test('also if somebody else holds it by now', async () => {
    const held = await lose();
    await hold('other', held.resource);
    const status = 'DOESNT_OWN_RESERVATION';
    const lost = [{ status, explanation: `${status}: ${BY_OPERATOR}` }];
    expect((await renew(held)).body).toMatchObject(lost);
    expect((await holdfast.unreserve(held)).body).toMatchObject(lost);
  });

  test('from a transaction, a dry run, a minimal result, and a repeat', async () => {
    const held = await lose();
    const { resource, requester, releaseToken } = held;
    const explanation = `NOT_RESERVED: ${BY_OPERATOR}`;
    const release = { requestType: 'UNRESERVE' as const, resource, requester, releaseToken };
    expect((await holdfast.transaction('ALL_OR_NONE', release)).body).toMatchObject({
      status: 'APPLIED',
      results: [{ status: 'NOT_RESERVED', explanation }],
    });
    const path = '/api/v1/Reservation/unreserve';
    const items = [{ resource, requester, releaseToken }];
    expect((await holdfast.request('POST', `${path}?dryRun=true`, items)).body).toMatchObject([{ explanation }]);
    const minimal = await holdfast.request('POST', path, items, { Prefer: 'return=minimal' });
    expect(minimal.body).toEqual([{ status: 'NOT_RESERVED', explanation }]);
    const idempotency = { 'Idempotency-Key': randomUUID() };
    const first = await holdfast.request('POST', path, items, idempotency);
    await setClock(holdfast.redis, holdfast.tenant, NOW + DAY_MS);
    const repeat = await holdfast.request('POST', path, items, idempotency);
    expect(repeat.headers.get('Idempotency-Replayed')).toBe('true');
    expect(repeat.body).toEqual(first.body);
    expect(first.body).toMatchObject([{ explanation }]);
  });

  test('in a batch, each its own', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, () => lose()));
    const kept = await hold();
    const answers = await Promise.all([kept, ...all].map((one) => renew(one)));
    expect(answers.map(({ body: [one] }) => one?.explanation)).toEqual([
      'RENEWED',
      ...all.map(() => `NOT_RESERVED: ${BY_OPERATOR}`),
    ]);
  });

  test('of several in one release, and of a transaction that was carried out', async () => {
    const [a, b, c] = [await hold(), await hold(), await hold()];
    const forced = ({ resource, requester }: ReserveResult) => ({ resource, requester });
    await ask(operator, 'unreserve', [forced(a), { ...forced(b), releaseToken: b.releaseToken }]);
    const requests = [
      { requestType: 'UNRESERVE', ...forced(c) },
      { requestType: 'RESERVE', resource: c.resource, requester: OPERATOR },
    ];
    await ask(operator, 'transaction', { method: 'ALL_OR_NONE', requests });
    expect((await renew(a, b, c)).body.map(({ explanation }) => explanation)).toEqual([
      `NOT_RESERVED: ${BY_OPERATOR}`,
      // Who shows the token releases it as its holder does.
      'NOT_RESERVED',
      `DOESNT_OWN_RESERVATION: ${BY_OPERATOR}`,
    ]);
  });

  test('not of a transaction that was rolled back, nor of a dry run', async () => {
    const [held, other] = [await hold(), await hold()];
    const { resource, requester } = held;
    const requests = [
      { requestType: 'UNRESERVE', resource, requester },
      { requestType: 'RESERVE', resource: other.resource, requester: OPERATOR },
    ];
    const answer = await ask(operator, 'transaction', { method: 'ALL_OR_NONE', requests });
    expect(answer.body).toMatchObject({ status: 'ROLLED_BACK' });
    await ask(operator, 'unreserve?dryRun=true', [{ resource, requester }]);
    await holdfast.unreserve(held);
    expect((await renew(held)).body).toMatchObject([{ explanation: 'NOT_RESERVED' }]);
  });

  test('for 24 hours', async () => {
    const held = await lose();
    await setClock(holdfast.redis, holdfast.tenant, NOW + DAY_MS - 1);
    expect((await renew(held)).body).toMatchObject([{ explanation: `NOT_RESERVED: ${BY_OPERATOR}` }]);
    await setClock(holdfast.redis, holdfast.tenant, NOW + DAY_MS);
    expect((await renew(held)).body).toMatchObject([{ explanation: 'NOT_RESERVED' }]);
  });

  test(`of the last ${MAX_KEPT}`, async () => {
    const [taken, takenAt] = ['taken', 'takenAt'].map((name) => `{${holdfast.tenant}}:${name}`) as [string, string];
    await holdfast.redis.del(taken, takenAt);
    const first = await lose();
    const others = Array.from({ length: MAX_KEPT - 1 }, (_, i) => `${i}`);
    await holdfast.redis.zadd(takenAt, ...others.flatMap((token) => [NOW, token]));
    await holdfast.redis.hset(taken, Object.fromEntries(others.map((token) => [token, `${NOW}\nperson:x`])));
    await setClock(holdfast.redis, holdfast.tenant, NOW + 1);
    await holdfast.redis.zincrby(takenAt, -1, packToken(first.releaseToken ?? ''));
    const last = await lose();
    expect(await holdfast.redis.hlen(taken)).toBe(MAX_KEPT);
    expect(await holdfast.redis.zcard(takenAt)).toBe(MAX_KEPT);
    const [gone, kept] = (await renew(first, last)).body;
    expect(gone?.explanation).toBe('NOT_RESERVED');
    expect(kept?.explanation).toContain('taken away');
    // Those that are over go first, at most 1000 at a time.
    await setClock(holdfast.redis, holdfast.tenant, NOW + DAY_MS);
    await lose();
    expect(await holdfast.redis.hlen(taken)).toBe(MAX_KEPT - 1000 + 1);
  });
});

describe('a release with the token', () => {
  test('keeps nothing', async () => {
    const taken = `{${holdfast.tenant}}:taken`;
    await holdfast.redis.del(taken);
    await holdfast.unreserve(await hold());
    expect(await holdfast.redis.exists(taken)).toBe(0);
  });
});

describe('after a reset', () => {
  const at = new Date(NOW + 60_000).toISOString();
  const RESET = `everything was released by key:wörk "er" at ${at}`;

  test('a holder from before learns who released everything', async () => {
    const [held, other] = [await hold(), await hold()];
    await setClock(holdfast.redis, holdfast.tenant, NOW + 60_000);
    await holdfast.reset();
    await hold('new', other.resource);
    expect((await renew(held, other)).body.map(({ explanation }) => explanation)).toEqual([
      `NOT_RESERVED: ${RESET}`,
      `DOESNT_OWN_RESERVATION: ${RESET}`,
    ]);
    expect((await holdfast.unreserve(held)).body).toMatchObject([{ explanation: `NOT_RESERVED: ${RESET}` }]);
    // This token does not say when it was made.
    const releaseToken = unpackToken(newToken());
    expect((await renew({ ...held, releaseToken })).body).toMatchObject([{ explanation: 'NOT_RESERVED' }]);
    await setClock(holdfast.redis, holdfast.tenant, NOW + 60_000 + DAY_MS);
    expect((await renew(held)).body).toMatchObject([{ explanation: 'NOT_RESERVED' }]);
  });

  test('what was taken away before says so', async () => {
    const held = await lose();
    await holdfast.reset();
    expect((await renew(held)).body).toMatchObject([{ explanation: `NOT_RESERVED: ${BY_OPERATOR}` }]);
  });

  test('who reserved since, and released it, is not told of it', async () => {
    await setClock(holdfast.redis, holdfast.tenant, NOW - 60_000);
    await holdfast.reset();
    const held = await hold();
    await holdfast.unreserve(held);
    expect((await holdfast.unreserve(held)).body).toMatchObject([{ explanation: 'NOT_RESERVED' }]);
  });
});
