/**
 * Reserving any resource that fits (docs/specification.md#any-resource-that-fits).
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { holdfast, useRegistry } from '../support/instance.ts';

useRegistry();

const phone = (i: number, labels: Record<string, string> = { os: 'android' }) => ({ name: `phone${i}`, labels });
const android = (requester: string) => ({ requester, match: { os: 'android' } });
const send = (...items: object[]) => holdfast.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve', items);
const picked = async (...items: object[]) => {
  const { status, body } = await send(...items);
  return status === 200 ? body.map((one) => `${one.status} ${one.resource}`) : body;
};
const refusal = async (...items: object[]) => (await send(...items)).body.map(({ explanation }) => explanation);

describe('a match', () => {
  test('takes the first in order of name whose own slots are free', async () => {
    await holdfast.register(phone(2), phone(1), phone(3), { name: 'a' }, phone(0, { os: 'ios' }));
    expect(await picked(android('x'))).toEqual(['ACQUIRED phone1']);
    expect(await picked(android('y'))).toEqual(['ACQUIRED phone2']);
    expect(await picked(android('z'), android('w'))).toEqual(['ACQUIRED phone3', 'NOT_AVAILABLE os=android']);
  });

  test('takes what is released again, in order of name', async () => {
    await holdfast.register(...[1, 2, 3, 4].map((i) => phone(i)));
    const { body } = await send(android('a'), android('b'), android('c'), android('d'), android('e'));
    expect(body[4]).toMatchObject({ status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE', releaseToken: null });
    for (const i of [2, 1])
      await holdfast.unreserve({ ...body[i], resource: `phone${i + 1}`, requester: 'abcd'[i] ?? '' } as never);
    expect(await picked(android('e'), android('f'), android('g'))).toEqual([
      'ACQUIRED phone2',
      'ACQUIRED phone3',
      'NOT_AVAILABLE os=android',
    ]);
  });

  test('wants all of its labels, and one of the values of each', async () => {
    await holdfast.register(
      phone(1, { os: 'android', size: 's' }),
      phone(2, { os: 'ios', size: 'xl' }),
      phone(3, { os: 'android', size: 'l' }),
      phone(4, { os: 'android', size: 'xl' }),
    );
    const match = { os: 'android', size: ['xl', 'l'] };
    expect(await picked({ requester: 'a', match }, { requester: 'b', match }, { requester: 'c', match })).toEqual([
      'ACQUIRED phone3',
      'ACQUIRED phone4',
      'NOT_AVAILABLE os=android,size=l,size=xl',
    ]);
    expect(await picked({ requester: 'd', match: { size: ['xl', 's'] } })).toEqual(['ACQUIRED phone1']);
  });

  test('takes none that has a value which it does not want; one without this label fits', async () => {
    await holdfast.register(
      phone(1, { os: 'android', site: 'berlin' }),
      phone(2, { os: 'android', site: 'paris' }),
      phone(3, { os: 'android', site: 'rome' }),
      phone(4),
      phone(5, { site: 'rome' }),
    );
    const match = { os: 'android', site: { not: ['paris', 'berlin'] } };
    expect(await picked(...['a', 'b', 'c'].map((requester) => ({ requester, match })))).toEqual([
      'ACQUIRED phone3',
      'ACQUIRED phone4',
      'NOT_AVAILABLE os=android,site!=berlin,site!=paris',
    ]);
    const notParis = { os: 'android', site: { not: 'paris' } };
    expect(await picked({ requester: 'd', match: notParis })).toEqual(['ACQUIRED phone1']);
  });

  test('takes a slot of a pool while one is free', async () => {
    await holdfast.register({ ...phone(1), capacity: 2 }, phone(2));
    const { body } = await send(android('a'), android('b'), android('c'));
    expect(body).toMatchObject([
      { resource: 'phone1', acquiredSlots: { phone1: 'phone1_0' } },
      { resource: 'phone1', acquiredSlots: { phone1: 'phone1_1' } },
      { resource: 'phone2', acquiredSlots: null },
    ]);
    await holdfast.register({ ...phone(1), capacity: 3 });
    expect(await picked(android('d'))).toEqual(['ACQUIRED phone1']);
  });

  test('is not named by a later request for the slot that it took', async () => {
    await holdfast.register({ ...phone(1), capacity: 2 });
    expect(await picked(android('a'))).toEqual(['ACQUIRED phone1']);
    expect(await picked({ requester: 'a', resource: 'phone1_0' })).toEqual(['ALREADY_HAD phone1_0']);
  });

  test('passes resources whose plan cannot be met', async () => {
    await holdfast.register(
      { name: 'lab', capacity: 1 },
      { ...phone(1), treePath: 'lab' },
      { ...phone(2), treePath: 'lab' },
      { ...phone(3), blocks: ['ink'] },
      phone(4),
    );
    await holdfast.reserve({ resource: 'lab', requester: 'a' }, { resource: 'ink', requester: 'a' });
    expect(await picked(android('b'), android('c'))).toEqual(['ACQUIRED phone4', 'NOT_AVAILABLE os=android']);
  });

  test('never takes a group', async () => {
    await holdfast.register({ name: 'a', group: true, labels: { os: 'android' } }, phone(1));
    expect(await picked(android('a'), android('b'))).toEqual(['ACQUIRED phone1', 'NOT_AVAILABLE os=android']);
  });

  test('is NOT_VALID if no definition fits', async () => {
    const none = 'NOT_VALID: no registered resource has all of these labels';
    expect(await refusal(android('a'))).toEqual([none]);
    await holdfast.register(phone(1, { os: 'ios', size: 'l' }), phone(2, { os: 'android', size: 's' }));
    expect(await refusal({ requester: 'a', match: { os: 'windows' } })).toEqual([none]);
    expect(await refusal({ requester: 'a', match: { os: 'android', size: 'l' } })).toEqual([none]);
    await holdfast.register({ name: 'g', group: true, labels: { os: 'windows' } });
    expect(await refusal({ requester: 'a', match: { os: 'windows' } })).toEqual([none]);
  });

  test('looks at 500 of them at most', async () => {
    await holdfast.register({ name: 'lab', capacity: 1 });
    const inLab = (i: number) => ({ ...phone(1000 + i), treePath: 'lab' });
    for (const from of [0, 250]) await holdfast.register(...Array.from({ length: 250 }, (_, i) => inLab(from + i)));
    await holdfast.register(phone(9999));
    await holdfast.reserve({ resource: 'lab', requester: 'a' });
    expect(await refusal(android('b'))).toEqual(['NOT_AVAILABLE: looked at 500 of them']);
    await holdfast.delete('phone1000');
    expect(await picked(android('b'))).toEqual(['ACQUIRED phone9999']);
    for (let i = 1; i < 500; i += 1) if (i % 250 === 1) await holdfast.delete('lab', '?cascade=true');
  });

  test('forgets labels that were removed, and resources that were deleted', async () => {
    await holdfast.register(phone(1), phone(2), phone(3));
    await holdfast.register({ name: 'phone1', labels: {} });
    await holdfast.delete('phone2');
    expect(await picked(android('a'), android('b'))).toEqual(['ACQUIRED phone3', 'NOT_AVAILABLE os=android']);
  });

  test('finds everything again after a reset', async () => {
    await holdfast.register(phone(1), phone(2));
    expect(await picked(android('a'), android('b'), android('c'))).toContain('NOT_AVAILABLE os=android');
    await holdfast.reset();
    expect(await picked(android('a'), android('b'))).toEqual(['ACQUIRED phone1', 'ACQUIRED phone2']);
  });

  test('takes what a transaction has released before', async () => {
    await holdfast.register(phone(1));
    const [first] = (await send(android('a'))).body;
    await send(android('b'));
    const release = { requestType: 'UNRESERVE', requester: 'a', resource: 'phone1', releaseToken: first?.releaseToken };
    const requests = [release, { requestType: 'RESERVE', ...android('b') }];
    const { body } = await holdfast.request('POST', '/api/v1/Reservation/transaction', {
      method: 'ALL_OR_NONE',
      requests,
    });
    expect(body).toMatchObject({ status: 'APPLIED', results: [{}, { status: 'ACQUIRED', resource: 'phone1' }] });
  });

  test('is undone with its transaction', async () => {
    await holdfast.register(phone(1));
    const requests = [android('a'), android('b')].map((one) => ({ requestType: 'RESERVE', ...one }));
    const { body } = await holdfast.request('POST', '/api/v1/Reservation/transaction', {
      method: 'ALL_OR_NONE',
      requests,
    });
    expect(body).toMatchObject({ status: 'ROLLED_BACK', results: [{ resource: 'os=android' }, {}] });
    expect(await picked(android('c'))).toEqual(['ACQUIRED phone1']);
  });

  test('can be asked for without being carried out', async () => {
    await holdfast.register(phone(1));
    const dry = await holdfast.request('POST', '/api/v1/Reservation/reserve?dryRun=true', [android('a')]);
    expect(dry.body).toMatchObject([{ status: 'ACQUIRED', resource: 'phone1', releaseToken: null }]);
    expect((await holdfast.active()).body).toEqual([]);
  });
});

describe('the nth item with the same match', () => {
  test('gets ALREADY_HAD for the nth resource that its requester holds by it', async () => {
    await holdfast.register(...[1, 2, 3].map((i) => phone(i)));
    const first = await send(android('a'));
    expect(await picked(android('a'))).toEqual(['ALREADY_HAD phone1']);
    expect((await send(android('a'))).body[0]?.releaseToken).toBe(first.body[0]?.releaseToken);
    expect(await picked(android('a'), android('b'), android('a'))).toEqual([
      'ALREADY_HAD phone1',
      'ACQUIRED phone2',
      'ACQUIRED phone3',
    ]);
    expect(await picked(android('a'), android('a'), android('a'))).toEqual([
      'ALREADY_HAD phone1',
      'ALREADY_HAD phone3',
      'NOT_AVAILABLE os=android',
    ]);
  });

  test('in a transaction too', async () => {
    await holdfast.register(...[1, 2].map((i) => phone(i)));
    const requests = [android('a'), android('a')].map((one) => ({ requestType: 'RESERVE', ...one }));
    for (const status of ['ACQUIRED', 'ALREADY_HAD']) {
      const { body } = await holdfast.request('POST', '/api/v1/Reservation/transaction', {
        method: 'ALL_OR_NONE',
        requests,
      });
      expect(body).toMatchObject({
        results: [
          { status, resource: 'phone1' },
          { status, resource: 'phone2' },
        ],
      });
    }
  });

  test('does not count what is held by name, or by another match', async () => {
    await holdfast.register(...[1, 2, 3].map((i) => phone(i)));
    await holdfast.reserve({ resource: 'phone1', requester: 'a' });
    await send({ requester: 'a', match: { os: ['android', 'ios'] } });
    expect(await picked(android('a'))).toEqual(['ACQUIRED phone3']);
  });

  test('is told by the order of values no more than by that of labels', async () => {
    await holdfast.register(...[1, 2].map((i) => phone(i, { os: 'android', size: 'l' })));
    expect(await picked({ requester: 'a', match: { os: 'android', size: ['l', 'xl'] } })).toEqual(['ACQUIRED phone1']);
    const same = { requester: 'a', match: { size: ['xl', 'l', 'l'], os: ['android'] } };
    expect(await picked(same)).toEqual(['ALREADY_HAD phone1']);
  });

  test('is forgotten when it is released or renewed by its name', async () => {
    await holdfast.register(...[1, 2].map((i) => phone(i)));
    const [one] = (await send({ ...android('a'), ttlSeconds: 60, note: 'why' })).body;
    if (one === undefined) throw new Error('no result');
    const named = { resource: one.resource, requester: 'a', releaseToken: one.releaseToken };
    expect((await holdfast.renew({ ...named, ttlSeconds: 90 })).body).toMatchObject([{ status: 'RENEWED' }]);
    expect((await holdfast.active()).body).toMatchObject([{ resource: 'phone1', note: 'why' }]);
    expect(JSON.stringify((await holdfast.active()).body)).not.toContain('match');
    expect(await picked(android('a'))).toEqual(['ALREADY_HAD phone1']);
    expect((await holdfast.unreserve(named)).body).toMatchObject([{ status: 'RELINQUISHED', released: ['phone1'] }]);
    await holdfast.reserve({ resource: 'phone1', requester: 'b' });
    expect(await picked(android('a'))).toEqual(['ACQUIRED phone2']);
  });
});

describe('a match is a 400', () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']));
  test.each([
    [{}, 'match must hold 1 to 16 labels'],
    [many, 'match must hold 1 to 16 labels'],
    ['os', 'match must be an object of labels'],
    [['os'], 'match must be an object of labels'],
    [{ 'a b': 'x' }, 'match must have keys of 1 to 64 letters, digits and the characters . _ / -'],
    [{ os: 1 }, 'match.os must be a string, or an array of strings'],
    [{ os: [] }, 'match.os must hold 1 to 16 values'],
    [{ os: Array.from({ length: 17 }, String) }, 'match.os must hold 1 to 16 values'],
    [{ os: ['a', 1] }, 'match.os must be a string, or an array of strings'],
    [{ os: { not: 'a' } }, 'match must want at least one label'],
    [{ os: 'a', site: { not: [] } }, 'match.site.not must hold 1 to 16 values'],
    [{ os: 'a', site: { not: 1 } }, 'match.site.not must be a string, or an array of strings'],
    [{ os: { no: 'a' } }, 'match.os must be a string, or an array of strings'],
    [{ os: 'x'.repeat(129) }, 'match.os must be at most 128 characters long'],
    [{ os: 'a\nb' }, 'match.os must not contain control characters'],
  ])('%j', async (match, message) => {
    expect(await send({ requester: 'a', match })).toMatchObject({ status: 400, body: `[0].${message}` });
    const requests = [{ requestType: 'RESERVE', requester: 'a', match }];
    const transaction = { method: 'FIRST', requests };
    expect(await holdfast.request('POST', '/api/v1/Reservation/transaction', transaction)).toMatchObject({
      status: 400,
      body: `requests[0].${message}`,
    });
  });

  test('beside a resource, and neither of them is', async () => {
    const both = { requester: 'a', resource: 'x', match: { os: 'android' } };
    expect(await picked(both)).toBe('[0].match must not stand beside resource');
    expect(await picked({ requester: 'a' })).toBe('[0].resource is required');
  });

  test('in an item of an unreserve', async () => {
    const { status } = await holdfast.request('POST', '/api/v1/Reservation/unreserve', [android('a')]);
    expect(status).toBe(400);
  });
});
