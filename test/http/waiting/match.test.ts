/**
 * Waiting for any resource that fits (docs/specification.md#any-resource-that-fits).
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../../src/contract/reservations.ts';
import { holdfast, useRegistry } from '../../support/instance.ts';

useRegistry();

const phone = (i: number, labels: Record<string, string> = { os: 'android' }) => ({ name: `phone${i}`, labels });
const android = (requester: string, more: object = {}) => ({
  requester,
  match: { os: 'android' },
  ttlSeconds: 60,
  waitSeconds: 60,
  ...more,
});
const send = async (...items: object[]) => {
  const { body } = await holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=0', items);
  return body;
};
const statuses = async (...items: object[]) => (await send(...items)).map((one) => `${one.status} ${one.resource}`);
const hold = async (resource: string) => {
  const { body } = await holdfast.reserve({ resource, requester: 'holder' });
  const [one] = body;
  return async () => {
    const token = { resource, requester: 'holder', releaseToken: one?.releaseToken ?? '' };
    expect((await holdfast.unreserve(token)).body).toMatchObject([{ status: 'RELINQUISHED' }]);
  };
};
const holders = async () =>
  (await holdfast.active()).body.map(({ resource, requester }) => `${requester} ${resource}`).sort();

describe('a match that waits', () => {
  test('takes the first that becomes available, in the order of the queue', async () => {
    await holdfast.register(phone(1), phone(2));
    const [free1, free2] = [await hold('phone1'), await hold('phone2')];
    expect(await send(android('a'))).toMatchObject([
      { status: 'WAITING', resource: 'os=android', waiting: { waitsFor: 'os=android', ahead: 0 } },
    ]);
    expect(await send(android('b'))).toMatchObject([{ waiting: { ahead: 1 } }]);
    expect((await holdfast.waiting()).body).toMatchObject([
      { requester: 'a', resources: ['os=android'], waitsFor: 'os=android' },
      { requester: 'b' },
    ]);
    await free2();
    expect(await holders()).toEqual(['a phone2', 'holder phone1']);
    expect(await send(android('a'))).toMatchObject([{ status: 'ACQUIRED', resource: 'phone2' }]);
    const [lease] = (await holdfast.active('?requester=a')).body;
    expect(Date.parse(lease?.expiresAt ?? '') - Date.now()).toBeGreaterThan(30_000);
    await free1();
    expect(await statuses(android('b'))).toEqual(['ACQUIRED phone1']);
    expect(await statuses(android('b'))).toEqual(['ALREADY_HAD phone1']);
  });

  test('keeps nothing', async () => {
    await holdfast.register({ name: 'lab', capacity: 1 }, { ...phone(1), treePath: 'lab' }, phone(2));
    const [free1, free2] = [await hold('lab'), await hold('phone2')];
    expect(await statuses(android('a'))).toEqual(['WAITING os=android']);
    expect((await holdfast.reserve({ resource: 'x', requester: 'b' })).body).toMatchObject([{ status: 'ACQUIRED' }]);
    await free2();
    expect(await statuses(android('a'))).toEqual(['ACQUIRED phone2']);
    await free1();
  });

  test('takes one whose ancestor or blocker becomes free', async () => {
    await holdfast.register({ name: 'lab', capacity: 1 }, { ...phone(1), treePath: 'lab' });
    await holdfast.register({ ...phone(2, { os: 'ios' }), blocks: ['ink'] });
    const [freeLab, freeInk] = [await hold('lab'), await hold('ink')];
    expect(await statuses(android('a'), { ...android('b'), match: { os: 'ios' } })).toEqual([
      'WAITING os=android',
      'WAITING os=ios',
    ]);
    await freeLab();
    await freeInk();
    expect(await holders()).toEqual(['a phone1', 'b phone2']);
  });

  test('takes one that is registered later, or gets more slots', async () => {
    await holdfast.register(phone(1));
    await hold('phone1');
    expect(await statuses(android('a'))).toEqual(['WAITING os=android']);
    await holdfast.register(phone(2, { os: 'ios' }));
    expect(await statuses(android('a'))).toEqual(['WAITING os=android']);
    await holdfast.register(phone(3));
    expect(await holders()).toEqual(['a phone3', 'holder phone1']);
    expect(await statuses(android('b'))).toEqual(['WAITING os=android']);
    await holdfast.register({ ...phone(1), capacity: 2 });
    expect(await statuses(android('b'))).toEqual(['ACQUIRED phone1']);
  });

  test('takes one whose lease has ended', async () => {
    await holdfast.register(phone(1));
    const [held] = (await holdfast.reserve({ resource: 'phone1', requester: 'x', ttlSeconds: 60 })).body;
    expect(await statuses(android('a'))).toEqual(['WAITING os=android']);
    await holdfast.renew({ resource: 'phone1', requester: 'x', releaseToken: held?.releaseToken, ttlSeconds: 1 });
    await expect.poll(() => statuses(android('a'))).toEqual(['ACQUIRED phone1']);
  });

  test('ends with NOT_VALID when no definition fits any more', async () => {
    await holdfast.register(phone(1));
    await hold('phone1');
    expect(await statuses(android('a'))).toEqual(['WAITING os=android']);
    await holdfast.register(phone(1, { os: 'ios' }));
    expect((await holdfast.waiting()).body).toEqual([]);
    expect(await statuses(android('a'))).toEqual(['NOT_VALID os=android']);
  });

  test('is one ticket for each of its items', async () => {
    await holdfast.register(phone(1), phone(2));
    const [free1, free2] = [await hold('phone1'), await hold('phone2')];
    const two = [android('a'), android('a')];
    expect(await statuses(...two)).toEqual(['WAITING os=android', 'WAITING os=android']);
    expect(await statuses(...two)).toEqual(['WAITING os=android', 'WAITING os=android']);
    expect((await holdfast.waiting()).body).toHaveLength(2);
    await free1();
    expect(await statuses(...two)).toEqual(['ACQUIRED phone1', 'WAITING os=android']);
    await free2();
    expect(await statuses(...two)).toEqual(['ALREADY_HAD phone1', 'ACQUIRED phone2']);
  });

  test('is the same request in whichever order its labels are, and not another match', async () => {
    await holdfast.register(phone(1, { os: 'android', size: 'l' }));
    await hold('phone1');
    const match = (labels: object) => android('a', { match: labels });
    await send(match({ os: 'android', size: 'l' }));
    await send(match({ size: 'l', os: ['android'] }));
    expect((await holdfast.waiting()).body).toHaveLength(1);
    await send(match({ os: 'android' }));
    expect((await holdfast.waiting()).body).toHaveLength(2);
  });

  test('is cancelled by the text that stands for it', async () => {
    await holdfast.register(phone(1));
    const free = await hold('phone1');
    await send(android('a'));
    expect((await holdfast.cancel({ requester: 'a', resource: 'os=android' })).body).toMatchObject([
      { status: 'CANCELLED' },
    ]);
    await free();
    expect(await holders()).toEqual([]);
  });

  test('does not stand in the line of a resource that has its text as a name', async () => {
    await holdfast.register(phone(1));
    await hold('phone1');
    const free = await hold('os=android');
    await send(android('a'));
    expect((await holdfast.check({ resource: 'os=android' })).body).toMatchObject([{ waiting: 0 }]);
    await free();
    expect(await holders()).toEqual(['holder phone1']);
  });

  test.each([
    [15, ['last phone1', 'y phone1']],
    [16, ['y phone1']],
  ])('is looked at behind %i that cannot take what became free: %j', async (ahead, expected) => {
    await holdfast.register({ ...phone(1), capacity: 2 });
    const [held] = (await holdfast.reserve({ resource: 'phone1', requester: 'x' })).body;
    await holdfast.reserve({ resource: 'phone1', requester: 'y' });
    for (let i = 0; i < ahead; i++) await send(android(`two${i}`, { count: 2 }));
    await send(android('last'));
    await holdfast.unreserve({ resource: 'phone1', requester: 'x', releaseToken: held?.releaseToken });
    expect(await holders()).toEqual(expected);
    // A call of its own is carried out wherever it stands.
    expect(await statuses(android('last'))).toEqual(['ACQUIRED phone1']);
  });

  test('is refused beside 100 others', async () => {
    const labels = (i: number) => ({ [`key${i}`]: 'v' });
    await holdfast.register(...Array.from({ length: 101 }, (_, i) => phone(i, labels(i))));
    for (let i = 0; i <= 100; i += 1) await hold(`phone${i}`);
    const wanting = (requester: string, i: number) => android(requester, { match: labels(i) });
    for (let i = 0; i < 100; i += 50) await send(...Array.from({ length: 50 }, (_, j) => wanting('a', i + j)));
    expect((await holdfast.waiting()).body).toHaveLength(100);
    expect(await send(wanting('a', 100))).toMatchObject([
      { status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE: 100 other matches are being waited for' },
    ]);
    expect(await send(wanting('b', 7))).toMatchObject([{ status: 'WAITING' }]);
    await holdfast.cancel({ requester: 'a', resource: 'key3=v' });
    expect(await send(wanting('a', 100))).toMatchObject([{ status: 'WAITING' }]);
  });
});
