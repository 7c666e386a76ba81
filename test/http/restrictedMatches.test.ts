/**
 * A key with a prefix matches only names that start with it (docs/specification.md#any-resource-that-fits,
 * #restricted-keys).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../src/contract/reservations.ts';
import { type Client, createClient } from '../support/client.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

const tenant = makeTenant();
const full = makeConfiguredKey(tenant);
const limited = { ...makeConfiguredKey(tenant, 'ci'), prefix: 'ci/' };
const other = { ...makeConfiguredKey(tenant, 'qa'), prefix: 'qa/' };
let holdfast: Instance;
/** The holders of the keys with the prefixes. */
let ci: Client;
let qa: Client;
beforeAll(async () => {
  holdfast = await startInstance({ keys: [full, limited, other] });
  ci = createClient(holdfast.url, limited.key);
  qa = createClient(holdfast.url, other.key);
});
afterAll(() => holdfast.stop());
beforeEach(async () => {
  await holdfast.reset();
  const { body } = await holdfast.definitions();
  for (const { name } of body) await holdfast.delete(name);
});

const register = (...names: string[]) =>
  holdfast.register(...names.map((name) => ({ name, labels: { os: 'android' } })));
const android = (requester: string, more: object = {}) => ({
  match: { os: 'android' },
  requester,
  ttlSeconds: 60,
  ...more,
});
const waiting = (requester: string) => android(requester, { waitSeconds: 60 });
const sent = async (client: Client, ...items: object[]) => {
  const path = '/api/v1/Reservation/reserve?pollSeconds=0';
  const { body } = await client.request<ReserveResult[]>('POST', path, items);
  return body.map(({ explanation, resource }) => `${explanation} ${resource}`);
};
const hold = async (resource: string) => {
  const [one] = (await holdfast.reserve({ resource, requester: 'holder' })).body;
  return () => holdfast.unreserve({ resource, requester: 'holder', releaseToken: one?.releaseToken ?? '' });
};
const holders = async () =>
  (await holdfast.active()).body.map(({ resource, requester }) => `${requester} ${resource}`).sort();

describe('only names with the prefix', () => {
  test('fit', async () => {
    await register('a', 'ci/b', 'd');
    expect(await sent(ci, android('x'), android('y'))).toEqual(['ACQUIRED ci/b', 'NOT_AVAILABLE os=android']);
    expect(await sent(holdfast, android('y'))).toEqual(['ACQUIRED a']);
  });

  test('exist', async () => {
    await register('a', 'cib');
    const none = 'NOT_VALID: no registered resource has all of these labels os=android';
    expect(await sent(ci, android('x'))).toEqual([none]);
    expect(await sent(ci, waiting('x'))).toEqual([none]);
  });

  test('count as had', async () => {
    await register('a', 'ci/b', 'ci/c');
    expect(await sent(holdfast, android('x'), android('x'))).toEqual(['ACQUIRED a', 'ACQUIRED ci/b']);
    expect(await sent(ci, android('x'), android('x'))).toEqual(['ALREADY_HAD ci/b', 'ACQUIRED ci/c']);
    expect(await sent(holdfast, ...Array.from({ length: 3 }, () => android('x')))).toEqual([
      'ALREADY_HAD a',
      'ALREADY_HAD ci/b',
      'ALREADY_HAD ci/c',
    ]);
  });

  test('fit in a transaction, in which other names are refused', async () => {
    await register('a', 'ci/b');
    const requests = [android('x'), { resource: 'ci/z', requester: 'x' }].map((one) => ({
      requestType: 'RESERVE',
      ...one,
    }));
    const { body } = await ci.request<TransactionResult>('POST', '/api/v1/Reservation/transaction', {
      method: 'ALL_OR_NONE',
      requests,
    });
    expect(body).toMatchObject({ status: 'APPLIED', results: [{ resource: 'ci/b' }, { resource: 'ci/z' }] });
    const foreign = { method: 'FIRST', requests: [...requests, { ...requests[1], resource: 'z' }] };
    const { status } = await ci.request('POST', '/api/v1/Reservation/transaction', foreign);
    expect(status).toBe(403);
  });
});

describe('the prefix is part of the request of a ticket', () => {
  test('which is granted a name with the prefix, and stands in no queue with others', async () => {
    await register('a', 'ci/b', 'qa/c');
    const [freeA, freeB, freeC] = [await hold('a'), await hold('ci/b'), await hold('qa/c')];
    for (const client of [ci, qa])
      expect(await sent(client, waiting('x'))).toEqual(['WAITING: you are next os=android']);
    expect((await holdfast.waiting()).body).toMatchObject([{ waitsFor: 'os=android' }, { waitsFor: 'os=android' }]);
    await freeA();
    expect(await holders()).toEqual(['holder ci/b', 'holder qa/c']);
    await freeC();
    expect(await holders()).toEqual(['holder ci/b', 'x qa/c']);
    await freeB();
    expect(await sent(ci, waiting('x'))).toEqual(['ACQUIRED ci/b']);
    expect(await sent(qa, waiting('x'))).toEqual(['ACQUIRED qa/c']);
  });

  test('so 16 tickets of others are not in its way', async () => {
    await register('ci/b', 'qa/c');
    const [freeB] = [await hold('ci/b'), await hold('qa/c')];
    for (let i = 0; i < 17; i += 1) await sent(qa, waiting(`q${i}`));
    await sent(ci, waiting('x'));
    await freeB();
    expect(await holders()).toEqual(['holder qa/c', 'x ci/b']);
  });
});

describe('a key with a prefix cancels by the text of a match', () => {
  const cancel = async (client: Client, resource = 'os=android') =>
    (await client.cancel({ resource, requester: 'x' })).body;

  test('only tickets of its prefix', async () => {
    await register('a', 'ci/b', 'qa/c');
    for (const name of ['a', 'ci/b', 'qa/c']) await hold(name);
    await sent(holdfast, waiting('x'));
    await sent(ci, waiting('x'));
    expect(await cancel(qa)).toMatchObject([{ status: 'NOT_WAITING' }]);
    expect((await holdfast.waiting()).body).toHaveLength(2);
    expect(await cancel(ci)).toMatchObject([{ status: 'CANCELLED' }]);
    expect((await holdfast.waiting()).body).toHaveLength(1);
    expect(await cancel(holdfast)).toMatchObject([{ status: 'CANCELLED' }]);
  });

  test('not tickets for a name like it', async () => {
    await hold('a=b');
    await sent(holdfast, { resource: 'a=b', requester: 'x', ttlSeconds: 60, waitSeconds: 60 });
    expect(await cancel(ci, 'a=b')).toMatchObject([{ status: 'NOT_WAITING' }]);
    expect((await holdfast.waiting()).body).toHaveLength(1);
  });

  test('and is refused a name without "="', async () => {
    expect(await cancel(ci, 'a')).toMatchObject({ error: expect.stringContaining('[0].resource must start with') });
  });
});
