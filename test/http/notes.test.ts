/**
 * Why something is held, and who is in the way: `note` and `heldBy` (docs/specification.md#notes,
 * #why-a-reservation-fails).
 */

import { beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../src/contract/reservations.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { watch } from '../support/watch.ts';

useInstance({ keys: [makeConfiguredKey(makeTenant())] });
beforeEach(() => holdfast.reset());

const API = '/api/v1/Reservation';
const TIME = expect.stringMatching(/^20\d\d-.*Z$/);
const NOTE = 'nightly "build" \\ https://ci.example.com/4711 é🎉';
const refused = async (item: object): Promise<ReserveResult | undefined> =>
  (await holdfast.request<ReserveResult[]>('POST', `${API}/reserve`, [item])).body[0];
const transact = async (method: string, ...requests: object[]) =>
  (
    await holdfast.request<TransactionResult>('POST', `${API}/transaction`, {
      method,
      requests: requests.map((one) => ({ requestType: 'RESERVE', ...one })),
    })
  ).body;
const check = async (resource: string, requester?: string) =>
  (await holdfast.check({ resource, ...(requester === undefined ? {} : { requester }) })).body[0];
const listed = async () => new Map((await holdfast.active()).body.map(({ resource, note }) => [resource, note]));

describe('a note', () => {
  test('is shown by activeReservations and check, of each item of a batch', async () => {
    await holdfast.register({ name: 'pool', capacity: 2, treePath: 'rack' }, { name: 'rack', capacity: 2 });
    await holdfast.reserve(
      { resource: 'plain', requester: 'r', note: NOTE },
      { resource: 'pool', requester: 'r', note: 'pooled' },
      { resource: 'none', requester: 'r' },
    );
    expect(await listed()).toEqual(
      new Map([
        ['plain', NOTE],
        ['pool', 'pooled'],
        ['none', undefined],
      ]),
    );
    expect(await check('plain')).toMatchObject({ note: NOTE });
    expect(await check('pool', 'r')).toMatchObject({ note: 'pooled' });
    expect(await check('pool_0')).toMatchObject({ note: 'pooled' });
    for (const one of [await check('none'), await check('pool'), await check('rack_0')])
      expect(one).not.toHaveProperty('note');
  });

  test('leaves details, slots and the release as they are', async () => {
    await holdfast.register({ name: 'phone', capacity: 2, treePath: 'shelf', blocks: ['ink'] });
    const [made] = (await holdfast.reserve({ resource: 'phone', requester: 'r', note: 'n' })).body;
    const [plain] = (await holdfast.reserve({ resource: 'p', requester: 'r', note: 'n' })).body;
    expect(made).toMatchObject({
      acquiredSlots: { phone: 'phone_0' },
      acquiredBlockers: ['ink'],
      reservedAtPath: 'shelf>phone',
    });
    expect(plain).toMatchObject({ acquiredSlots: null, acquiredBlockers: null, reservedAtPath: null });
    for (const one of [made, plain]) expect(one).not.toHaveProperty('note');
    const token = made?.releaseToken ?? '';
    expect(
      (await holdfast.renew({ resource: 'phone', requester: 'r', releaseToken: token, ttlSeconds: 60 })).body,
    ).toMatchObject([{ status: 'RENEWED' }]);
    expect((await listed()).get('phone')).toBe('n');
    expect((await holdfast.unreserve({ resource: 'phone', requester: 'r', releaseToken: token })).body).toMatchObject([
      { released: ['phone_0', 'shelf', 'ink'] },
    ]);
  });

  test('stays the first: ALREADY_HAD keeps it', async () => {
    await holdfast.reserve({ resource: 'a', requester: 'r', note: 'first' }, { resource: 'b', requester: 'r' });
    const again = await holdfast.reserve(
      { resource: 'a', requester: 'r', note: 'second' },
      { resource: 'b', requester: 'r', note: 'second' },
    );
    expect(again.body.map(({ status }) => status)).toEqual(['ALREADY_HAD', 'ALREADY_HAD']);
    expect(await listed()).toEqual(
      new Map([
        ['a', 'first'],
        ['b', undefined],
      ]),
    );
  });

  test('that is empty is none', async () => {
    await holdfast.reserve({ resource: 'a', requester: 'r', note: '' });
    expect((await holdfast.active()).body[0]).not.toHaveProperty('note');
  });

  test('of an item of a transaction is shown too', async () => {
    await transact('ALL_OR_NONE', { resource: 'a', requester: 'r', note: 'one' }, { resource: 'b', requester: 'r' });
    await transact('FIRST', { resource: 'c', requester: 'r', note: 'three' });
    expect(await listed()).toEqual(
      new Map([
        ['a', 'one'],
        ['b', undefined],
        ['c', 'three'],
      ]),
    );
  });

  test('is in RESERVED, and in the ACQUIRED changes of TRANSACTION_APPLIED; other events have no such field', async () => {
    const stream = await watch(holdfast);
    await holdfast.reserve({ resource: 'a', requester: 'r', note: NOTE }, { resource: 'b', requester: 'r' });
    await transact(
      'AS_MANY_AS_POSSIBLE',
      { resource: 'c', requester: 'r', note: NOTE },
      { resource: 'd', requester: 'r' },
      { resource: 'a', requester: 's', note: 'not had' },
    );
    const [a, b, applied] = await stream.count(3);
    expect(a).toMatchObject({ type: 'RESERVED', resource: 'a', note: NOTE });
    expect(b).not.toHaveProperty('note');
    expect(applied?.changes?.map((change) => change.note)).toEqual([NOTE, undefined, undefined]);
    stream.close();
  });

  test.each([
    ['of 501 characters', 'é'.repeat(501), 'must be at most 500 characters long'],
    ['with a control character', 'two\nlines', 'must not contain control characters'],
    ['with a lone surrogate', '\ud800', 'must be well-formed Unicode'],
    ['that is no string', 7, 'must be a string'],
  ])('%s is a 400, on an item and in a transaction', async (_, note, message) => {
    const item = { resource: 'a', requester: 'r', note };
    for (const [path, body, at] of [
      ['reserve', [item], '[0].note'],
      ['transaction', { method: 'FIRST', requests: [{ requestType: 'RESERVE', ...item }] }, 'requests[0].note'],
    ] as const) {
      const answer = await holdfast.request<string>('POST', `${API}/${path}`, body);
      expect([answer.status, answer.body]).toEqual([400, `${at} ${message}`]);
    }
    expect((await holdfast.active()).body).toEqual([]);
  });

  test('has at most 500 characters, which are code points', async () => {
    const reserve = (note: string) =>
      holdfast.request('POST', `${API}/reserve`, [{ resource: 'a', requester: 'r', note }]);
    expect((await reserve('🎉'.repeat(501))).status).toBe(400);
    expect((await reserve('🎉'.repeat(500))).status).toBe(200);
  });
});

describe('the note of a request that waits', () => {
  const wait = (requester: string, note?: string) =>
    holdfast.request<ReserveResult[]>('POST', `${API}/reserve?pollSeconds=0`, [
      { resource: 'busy', requester, ttlSeconds: 60, waitSeconds: 600, claimSeconds: 600, ...(note && { note }) },
    ]);
  let token: string | null = '';
  beforeEach(async () => {
    token = (await holdfast.reserve({ resource: 'busy', requester: 'holder' })).body[0]?.releaseToken ?? null;
  });
  const release = () => holdfast.unreserve({ resource: 'busy', requester: 'holder', releaseToken: token });
  const waiting = async () => (await holdfast.waiting()).body.map(({ requester, note }) => [requester, note]);

  test('is that of its last call, in the list of those who wait and in the grant', async () => {
    await wait('ann', 'first call');
    await wait('bob');
    expect(await waiting()).toEqual([
      ['ann', 'first call'],
      ['bob', undefined],
    ]);
    await wait('ann', NOTE);
    expect(await waiting()).toEqual([
      ['ann', NOTE],
      ['bob', undefined],
    ]);
    const stream = await watch(holdfast);
    await release();
    expect(await listed()).toEqual(new Map([['busy', NOTE]]));
    expect(await check('busy')).toMatchObject({ requester: 'ann', note: NOTE });
    const reserved = (await stream.count(3)).find(({ type }) => type === 'RESERVED');
    expect(reserved).toMatchObject({ requester: 'ann', note: NOTE });
    expect((await wait('ann', 'too late')).body).toMatchObject([{ status: 'ACQUIRED' }]);
    expect(await listed()).toEqual(new Map([['busy', NOTE]]));
    stream.close();
  });

  test('is that of the item, for each item of a transaction; the list shows the first', async () => {
    await holdfast.request('POST', `${API}/transaction?pollSeconds=0`, {
      method: 'ALL_OR_NONE',
      waitSeconds: 600,
      requests: [{ resource: 'free' }, { resource: 'busy', note: 'one' }, { resource: 'other', note: 'two' }].map(
        (item) => ({ requestType: 'RESERVE', requester: 'ann', ttlSeconds: 60, ...item }),
      ),
    });
    expect(await waiting()).toEqual([['ann', 'one']]);
    const stream = await watch(holdfast);
    await release();
    expect(await listed()).toEqual(
      new Map([
        ['free', undefined],
        ['busy', 'one'],
        ['other', 'two'],
      ]),
    );
    const applied = (await stream.count(3)).find(({ type }) => type === 'TRANSACTION_APPLIED');
    expect(applied?.changes?.map(({ note }) => note)).toEqual([undefined, 'one', 'two']);
    stream.close();
  });

  test('counts among the bytes that a waiting request may have', async () => {
    const reserve = (resource: string) => ({
      ...{ requestType: 'RESERVE', resource, requester: 'ann', ttlSeconds: 60, note: 'é'.repeat(500) },
    });
    const wait = (names: readonly string[]) =>
      holdfast.request('POST', `${API}/transaction?pollSeconds=0`, {
        ...{ method: 'ALL_OR_NONE', waitSeconds: 60, requests: names.map(reserve) },
      });
    const names = Array.from({ length: 9 }, (_, i) => `noted-${i}`);
    expect(await wait(names)).toMatchObject({
      status: 400,
      body: 'waitSeconds needs names and notes of at most 8192 bytes together',
    });
    expect((await wait(names.slice(1))).status).toBe(200);
  });
});

describe('heldBy of a refused item', () => {
  test('names the holder of the resource itself', async () => {
    await holdfast.reserve({ resource: 'a', requester: 'ann', ttlSeconds: 60, note: NOTE });
    await holdfast.reserve({ resource: 'b', requester: 'ann' });
    const on = async (resource: string) => (await refused({ resource, requester: 'bob', note: 'mine' }))?.heldBy;
    expect(await on('a')).toEqual({ resource: 'a', requester: 'ann', since: TIME, expiresAt: TIME, note: NOTE });
    expect(await on('b')).toEqual({ resource: 'b', requester: 'ann', since: TIME, expiresAt: null, note: null });
  });

  test('names the holder of the slot that was asked for by its name', async () => {
    await holdfast.register({ name: 'pool', capacity: 2 });
    await holdfast.reserve({ resource: 'pool', requester: 'ann', note: 'n' });
    expect(await refused({ resource: 'pool_0', requester: 'bob' })).toMatchObject({
      status: 'ALREADY_HELD',
      heldBy: { resource: 'pool_0', requester: 'ann', since: TIME, note: 'n' },
    });
  });

  test('names who holds an ancestor along, without a time or note', async () => {
    await holdfast.register({ name: 'x', capacity: 1, treePath: 'root' }, { name: 'y', capacity: 1, treePath: 'root' });
    await holdfast.reserve({ resource: 'x', requester: 'ann', ttlSeconds: 60, note: 'n' });
    expect(await refused({ resource: 'y', requester: 'bob' })).toMatchObject({
      explanation: 'NOT_AVAILABLE: ancestor root is at capacity',
      heldBy: { resource: 'root', requester: 'ann', since: null, expiresAt: null, note: null },
    });
  });

  test('has no requester where a blocker holds it', async () => {
    await holdfast.register({ name: 'x', capacity: 1, blocks: ['ink'] }, { name: 'y', capacity: 1, blocks: ['ink'] });
    await holdfast.reserve({ resource: 'x', requester: 'ann', ttlSeconds: 60, note: 'n' });
    const nobody = { resource: 'ink', requester: null, since: null, expiresAt: null, note: null };
    expect((await refused({ resource: 'ink', requester: 'bob' }))?.heldBy).toEqual(nobody);
    expect((await refused({ resource: 'y', requester: 'bob' }))?.heldBy).toEqual(nobody);
  });

  test('names who holds a blocker itself', async () => {
    await holdfast.register({ name: 'x', capacity: 1, blocks: ['ink'] });
    await holdfast.reserve({ resource: 'ink', requester: 'ann', note: 'n' });
    expect((await refused({ resource: 'x', requester: 'bob' }))?.heldBy).toMatchObject({ requester: 'ann', note: 'n' });
  });

  test('is left out for pools, for what is not valid, and in WAITING results', async () => {
    await holdfast.register(
      { name: 'pool', capacity: 2, treePath: 'rack' },
      { name: 'rack', capacity: 2 },
      { name: 'below', capacity: 1, treePath: 'rack' },
    );
    await holdfast.reserve({ resource: 'pool', requester: 'a' }, { resource: 'pool', requester: 'b' });
    const items = [
      { resource: 'pool', requester: 'c' },
      { resource: 'below', requester: 'c' },
      { resource: 'pool_7', requester: 'c' },
      { resource: 'pool_0', requester: 'c', ttlSeconds: 60, waitSeconds: 60 },
    ];
    const { body } = await holdfast.request<ReserveResult[]>('POST', `${API}/reserve?pollSeconds=0`, items);
    expect(body.map(({ status }) => status)).toEqual(['NOT_AVAILABLE', 'NOT_AVAILABLE', 'NOT_VALID', 'WAITING']);
    for (const result of body) expect(result).not.toHaveProperty('heldBy');
  });

  test('is in the failing item of a transaction, and in no other', async () => {
    await holdfast.reserve({ resource: 'a', requester: 'ann', note: 'n' });
    for (const method of ['ALL_OR_NONE', 'AS_MANY_AS_POSSIBLE']) {
      const { results } = await transact(
        method,
        { resource: 'b', requester: 'bob' },
        { resource: 'a', requester: 'bob' },
      );
      expect(results.map((one) => 'heldBy' in one && one.heldBy)).toMatchObject([
        false,
        { resource: 'a', requester: 'ann', note: 'n' },
      ]);
    }
  });

  test('can be sent back with the result when it is released', async () => {
    await holdfast.reserve({ resource: 'a', requester: 'ann' });
    const result = await refused({ resource: 'a', requester: 'bob' });
    expect((await holdfast.request('POST', `${API}/unreserve`, [result])).status).toBe(200);
  });
});
