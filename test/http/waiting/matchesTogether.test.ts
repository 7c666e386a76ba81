/**
 * Transactions that wait for resources that fit (docs/specification.md#any-resource-that-fits).
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../../src/contract/reservations.ts';
import { holdfast, useRegistry } from '../../support/instance.ts';
import { watch } from '../../support/watch.ts';

useRegistry();

const phone = (i: number, labels: Record<string, string> = { os: 'android' }) => ({ name: `phone${i}`, labels });
const android = { match: { os: 'android' } };
const ios = { match: { os: 'ios' } };
const named = (resource: string) => ({ resource });
const hold = async (resource: string) => {
  const [one] = (await holdfast.reserve({ resource, requester: 'holder' })).body;
  return async () => {
    const token = { resource, requester: 'holder', releaseToken: one?.releaseToken ?? '' };
    expect((await holdfast.unreserve(token)).body).toMatchObject([{ status: 'RELINQUISHED' }]);
  };
};
const send = (method: string, requester: string, items: object[], more: object = {}) =>
  holdfast.request<TransactionResult>('POST', '/api/v1/Reservation/transaction?pollSeconds=0', {
    method,
    waitSeconds: 60,
    requests: items.map((item) => ({ requestType: 'RESERVE', requester, ttlSeconds: 60, ...item })),
    ...more,
  });
const all = async (requester: string, ...items: object[]) => (await send('ALL_OR_NONE', requester, items)).body;
const first = async (requester: string, ...items: object[]) => (await send('FIRST', requester, items)).body;
const taken = ({ status, results }: TransactionResult) => [
  status,
  ...results.map((one) => `${one.status} ${one.resource}`),
];
const waitsFor = async () => (await holdfast.waiting()).body.map((one) => one.waitsFor);
const holders = async () =>
  (await holdfast.active()).body.map(({ resource, requester }) => `${requester} ${resource}`).sort();

describe('a transaction with matches that waits', () => {
  test('gets all of them at once, or nothing', async () => {
    await holdfast.register(phone(1), phone(2));
    const [free1, free2, freeLicence] = [await hold('phone1'), await hold('phone2'), await hold('licence')];
    const items = [android, android, named('licence')];
    expect(await all('a', ...items)).toMatchObject({ status: 'WAITING' });
    await free2();
    expect(await holders()).toEqual(['holder licence', 'holder phone1']);
    expect(await waitsFor()).toEqual(['os=android']);
    await free1();
    expect(await holders()).toEqual(['holder licence']);
    expect(await waitsFor()).toEqual(['licence']);
    await freeLicence();
    expect(taken(await all('a', ...items))).toEqual([
      'APPLIED',
      'ACQUIRED phone1',
      'ACQUIRED phone2',
      'ACQUIRED licence',
    ]);
    expect(taken(await all('a', ...items))).toEqual([
      'APPLIED',
      'ALREADY_HAD phone1',
      'ALREADY_HAD phone2',
      'ALREADY_HAD licence',
    ]);
  });

  test('is carried out at once if that is possible', async () => {
    await holdfast.register(phone(1), phone(2));
    const { status, results } = await all('a', named('licence'), android, android);
    expect([status, ...results.map(({ resource }) => resource)]).toEqual(['APPLIED', 'licence', 'phone1', 'phone2']);
    expect(results).toMatchObject([{ waitedMs: 0 }, { waitedMs: 0 }, { waitedMs: 0 }]);
  });

  test('gives each item its own lease and token', async () => {
    await holdfast.register(phone(1), phone(2));
    const free = await hold('phone1');
    const items = [
      { ...android, ttlSeconds: 100 },
      { ...android, ttlSeconds: 1000 },
    ];
    await all('a', ...items);
    await free();
    const { results } = await all('a', ...items);
    const leases = (await holdfast.active()).body.map(({ resource, expiresAt }) => [
      resource,
      Math.round((Date.parse(expiresAt ?? '') - Date.now()) / 100_000),
    ]);
    expect(Object.fromEntries(leases)).toEqual({ phone1: 1, phone2: 10 });
    for (const { resource, releaseToken } of results as ReserveResult[])
      expect((await holdfast.unreserve({ resource, requester: 'a', releaseToken })).body).toMatchObject([
        { status: 'RELINQUISHED' },
      ]);
  });

  test('keeps nothing: others take what it waits for', async () => {
    await holdfast.register(phone(1));
    const free = await hold('licence');
    await all('a', android, named('licence'), named('other'));
    for (const resource of ['phone1', 'other'])
      expect((await holdfast.reserve({ resource, requester: 'b' })).body).toMatchObject([{ status: 'ACQUIRED' }]);
    await free();
    expect(await holders()).toEqual(['b other', 'b phone1']);
  });

  test('carries its items out in order, and never exchanges what they picked', async () => {
    await holdfast.register(phone(1, { os: 'android', size: 'xl' }), phone(2));
    const xl = { match: { size: 'xl' } };
    expect(await all('a', android, xl)).toMatchObject({ status: 'WAITING' });
    expect(taken(await all('b', xl, android))).toEqual(['APPLIED', 'ACQUIRED phone1', 'ACQUIRED phone2']);
  });

  test('is looked at when another choice for an item before makes room', async () => {
    await holdfast.register(phone(1), phone(2, { os: 'android', size: 'xl' }));
    const free = await hold('phone1');
    const items = [android, { match: { size: 'xl' } }];
    expect(await all('a', ...items)).toMatchObject({ status: 'WAITING' });
    expect(await waitsFor()).toEqual(['size=xl']);
    await free();
    expect(await holders()).toEqual(['a phone1', 'a phone2']);
  });

  test('also when what was in the way of an item before is free', async () => {
    await holdfast.register({ ...phone(1), blocks: ['ink'] }, phone(2, { os: 'android', size: 'xl' }));
    const free = await hold('ink');
    await all('a', android, { match: { size: 'xl' } });
    await free();
    expect(await holders()).toEqual(['a phone1', 'a phone2']);
  });

  test('gets no ticket if no resource fits one of its matches', async () => {
    await holdfast.register(phone(1));
    await hold('licence');
    expect(await all('a', named('licence'), ios)).toMatchObject({ status: 'ROLLED_BACK' });
    expect((await holdfast.waiting()).body).toEqual([]);
  });

  test('ends when a match fits no resource any more', async () => {
    await holdfast.register(phone(1), phone(2, { os: 'ios' }));
    await hold('phone1');
    await all('a', android, ios);
    await holdfast.register(phone(2, { os: 'other' }));
    expect((await holdfast.waiting()).body).toEqual([]);
  });

  test('is cancelled by the name of any of its items, or the text of a match', async () => {
    await holdfast.register(phone(1));
    await hold('phone1');
    for (const resource of ['licence', 'os=android']) {
      await all('a', named('licence'), android);
      expect((await holdfast.cancel({ requester: 'a', resource })).body).toMatchObject([{ status: 'CANCELLED' }]);
    }
  });

  test('is listed with the texts of its matches, and who is in the way', async () => {
    await holdfast.register(phone(1));
    await hold('phone1');
    await all('a', named('licence'), android);
    expect((await holdfast.waiting()).body).toMatchObject([
      {
        resources: ['licence', 'os=android'],
        waitsFor: 'os=android',
        reason: { kind: 'SLOTS', resource: 'os=android', holders: [{ requester: 'holder' }] },
      },
    ]);
  });

  test('counts among those ahead at its matches', async () => {
    await holdfast.register(phone(1));
    await hold('phone1');
    await all('a', named('licence'), android);
    expect((await all('b', android, named('x'))).results).toMatchObject([{ waiting: { ahead: 1 } }, {}]);
  });

  test.each([[true], [false]])('tells in events what it has picked (granted later: %s)', async (isLater) => {
    await holdfast.register(phone(1));
    const free = await hold('phone1');
    if (!isLater) await free();
    const stream = await watch(holdfast);
    await all('a', android, named('licence'));
    if (isLater) await free();
    const events = await stream.count(isLater ? 4 : 1);
    const applied = events.find(({ type }) => type === 'TRANSACTION_APPLIED');
    expect(applied).toMatchObject({ changes: [{ resource: 'phone1' }, { resource: 'licence' }] });
    stream.close();
  });
});

describe('a FIRST with matches that waits', () => {
  test('takes the first that becomes available', async () => {
    await holdfast.register(phone(1), phone(2, { os: 'ios' }));
    const [free1, free2] = [await hold('phone1'), await hold('phone2')];
    expect(await first('a', android, ios)).toMatchObject({ status: 'WAITING' });
    expect(await first('b', android, ios)).toMatchObject({ status: 'WAITING' });
    await free2();
    expect(taken(await first('a', android, ios))).toEqual(['APPLIED', 'NOT_AVAILABLE os=android', 'ACQUIRED phone2']);
    await free1();
    expect(taken(await first('b', android, ios))).toEqual(['APPLIED', 'ACQUIRED phone1', 'NOT_AVAILABLE os=ios']);
  });

  test('names in its event the items that were in vain, too', async () => {
    await holdfast.register(phone(1), phone(2, { os: 'ios' }));
    await hold('phone1');
    await hold('licence');
    const stream = await watch(holdfast);
    expect(taken(await first('a', named('licence'), android, ios))).toContain('ACQUIRED phone2');
    const [applied] = await stream.count(1);
    const changes = [{ resource: 'licence' }, { resource: 'os=android' }, { resource: 'phone2' }];
    expect(applied).toMatchObject({ type: 'TRANSACTION_APPLIED', changes });
    stream.close();
  });

  test('prefers the item before, and succeeds with one that its requester has', async () => {
    await holdfast.register(phone(1), phone(2, { os: 'ios' }));
    expect(taken(await first('a', ios, android)).slice(0, 2)).toEqual(['APPLIED', 'ACQUIRED phone2']);
    expect(taken(await first('a', android, ios))).toEqual([
      'APPLIED',
      'NOT_AVAILABLE os=android',
      'ALREADY_HAD phone2',
    ]);
  });

  test('waits for a name beside a match', async () => {
    await holdfast.register(phone(1));
    const free = await hold('x');
    await hold('phone1');
    await first('a', android, named('x'));
    await free();
    expect(await holders()).toEqual(['a x', 'holder phone1']);
  });

  test('waits while one of its matches fits', async () => {
    await holdfast.register(phone(1));
    await hold('phone1');
    expect(await first('a', ios, android)).toMatchObject({ status: 'WAITING' });
    expect(await first('a', ios)).toMatchObject({ status: 'ROLLED_BACK', results: [{ status: 'NOT_VALID' }] });
  });
});

test('more than 4 different matches are a 400', async () => {
  const items = Array.from({ length: 5 }, (_, i) => ({ match: { os: `${i}` } }));
  expect(await send('FIRST', 'a', items)).toMatchObject({
    status: 400,
    body: 'requests must hold at most 4 different matches where waitSeconds is more than 0',
  });
  expect((await send('FIRST', 'a', [...items.slice(1), { match: { os: ['4'] } }])).status).toBe(200);
});
