/**
 * Which slot a booking gets, and what is in its way (docs/specification.md#booking).
 */
import { describe, expect, test } from 'vitest';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { beginSession, endSession } from '../../../src/engine/sessions.ts';
import { unreserve } from '../../support/verbs.ts';
import { BookingLab, HOUR } from './lab.ts';

const lab = new BookingLab({ phone: 1, pool: 3 });
const release = (resource: string, requester: string, releaseToken: string | null) =>
  unreserve(lab.running.engine, lab.credential, [{ resource, requester, releaseToken: releaseToken ?? '' }]);

describe('a booking conflicts', () => {
  test('with another one of the slot, also of the same requester', async () => {
    await lab.book(HOUR, 2 * HOUR, { note: 'demo' });
    const conflict = {
      kind: 'BOOKING',
      slot: 'phone',
      requester: 'bo',
      from: lab.iso(HOUR),
      until: lab.iso(2 * HOUR),
      note: 'demo',
    };
    expect(await lab.book(2 * HOUR - 60, 3 * HOUR, { requester: 'al' })).toMatchObject({
      status: 'CONFLICT',
      booking: null,
      slot: null,
      conflict,
    });
    expect(await lab.book(HOUR + 60, HOUR + 120)).toMatchObject({ status: 'CONFLICT', conflict });
    expect(await lab.book(2 * HOUR, 3 * HOUR, { requester: 'al' })).toMatchObject({ status: 'BOOKED' });
    expect(await lab.book(HOUR - 60, HOUR)).toMatchObject({ status: 'BOOKED' });
  });

  test('with a lease that ends after its start', async () => {
    await lab.reserve({ resource: 'phone', requester: 'al', ttlSeconds: HOUR, note: 'a test' });
    expect(await lab.book(HOUR - 1, 2 * HOUR)).toMatchObject({
      status: 'CONFLICT',
      conflict: {
        kind: 'HOLD',
        requester: 'al',
        from: lab.iso(0),
        until: lab.iso(HOUR),
        note: 'a test',
      },
    });
    expect(await lab.book(HOUR, 2 * HOUR)).toMatchObject({ status: 'BOOKED' });
  });

  test('with a hold that has no end, also of its requester', async () => {
    const had = await lab.reserve({ resource: 'phone', requester: 'bo' });
    expect(await lab.book(HOUR, 2 * HOUR)).toMatchObject({ status: 'CONFLICT', conflict: { until: null } });
    await release('phone', 'bo', had.releaseToken);
  });

  test('with a hold of a session', async () => {
    const { engine } = lab.running;
    const { result: session } = await beginSession(engine, lab.credential, { requester: 'al', ttlSeconds: 60 });
    await lab.reserve({ resource: 'phone', requester: 'al', session: session.session });
    expect(await lab.book(HOUR, 2 * HOUR)).toMatchObject({ status: 'CONFLICT', conflict: { until: null } });
    await endSession(engine, lab.credential, session);
  });

  test('with a hold that is SHARED until its last lease, also of its requester', async () => {
    await lab.reserve({ resource: 'phone', requester: 'al', mode: 'SHARED', ttlSeconds: HOUR });
    await lab.reserve({ resource: 'phone', requester: 'bo', mode: 'SHARED', ttlSeconds: 2 * HOUR });
    expect(await lab.book(2 * HOUR - 1, 3 * HOUR)).toMatchObject({
      status: 'CONFLICT',
      conflict: { kind: 'HOLD', requester: null, until: lab.iso(2 * HOUR) },
    });
    expect(await lab.book(2 * HOUR, 3 * HOUR)).toMatchObject({ status: 'BOOKED' });
  });

  test('not with the lease of its requester', async () => {
    await lab.reserve({ resource: 'phone', requester: 'bo', ttlSeconds: 2 * HOUR });
    expect(await lab.book(HOUR, 3 * HOUR)).toMatchObject({ status: 'BOOKED' });
  });
});

describe('a booking of a pool', () => {
  test('takes the lowest slot that is free from its start to its end', async () => {
    await lab.book(HOUR, 2 * HOUR, { resource: 'pool' });
    expect(await lab.book(HOUR, 3 * HOUR, { resource: 'pool' })).toMatchObject({ slot: 'pool_1' });
    expect(await lab.book(2 * HOUR, 3 * HOUR, { resource: 'pool' })).toMatchObject({ slot: 'pool_0' });
    expect(await lab.book(HOUR, 2 * HOUR, { resource: 'pool_2' })).toMatchObject({ slot: 'pool_2', resource: 'pool' });
  });

  test('says which slot is free soonest if none is', async () => {
    await lab.book(HOUR, 4 * HOUR, { resource: 'pool_0' });
    await lab.book(HOUR, 2 * HOUR, { resource: 'pool_1' });
    await lab.reserve({ resource: 'pool_2', requester: 'al', ttlSeconds: 3 * HOUR });
    expect(await lab.book(HOUR, 2 * HOUR, { resource: 'pool' })).toMatchObject({
      status: 'CONFLICT',
      conflict: { slot: 'pool_1', until: lab.iso(2 * HOUR) },
    });
  });

  test('gives each of several items a slot of its own', async () => {
    const items = [1, 2, 3].map(() => lab.item(HOUR, 2 * HOUR, { resource: 'pool' }));
    const { status, bookings } = await lab.bookAll(items);
    expect(status).toBe('BOOKED');
    expect(bookings.map(({ slot }) => slot)).toEqual(['pool_0', 'pool_1', 'pool_2']);
  });
});

describe('a request', () => {
  test('books all of its items or none', async () => {
    await lab.book(HOUR, 2 * HOUR);
    const result = await lab.bookAll([lab.item(HOUR, 2 * HOUR, { resource: 'pool' }), lab.item(HOUR, 2 * HOUR)]);
    expect(result).toMatchObject({
      status: 'CONFLICT',
      bookings: [{ status: 'ROLLED_BACK', booking: null, slot: null }, { status: 'CONFLICT' }],
    });
    expect(await lab.list()).toHaveLength(1);
  });

  test('leaves out those that conflict if it says so', async () => {
    await lab.book(HOUR, 2 * HOUR);
    const items = [lab.item(HOUR, 2 * HOUR, { resource: 'pool' }), lab.item(HOUR, 2 * HOUR)];
    expect(await lab.bookAll(items, true)).toMatchObject({
      status: 'BOOKED',
      bookings: [{ status: 'BOOKED' }, { status: 'CONFLICT' }],
    });
    expect(await lab.bookAll(items.slice(1), true)).toMatchObject({ status: 'CONFLICT' });
    expect(await lab.list()).toHaveLength(2);
  });

  test('books none if an item is not valid, whether or not it leaves out conflicts', async () => {
    const items = [lab.item(HOUR, 2 * HOUR), lab.item(HOUR, 2 * HOUR, { resource: 'nothing' })];
    expect(await lab.bookAll(items, true)).toMatchObject({
      status: 'NOT_VALID',
      bookings: [
        { status: 'ROLLED_BACK' },
        { status: 'NOT_VALID', explanation: 'NOT_VALID: nothing is not registered' },
      ],
    });
    expect(await lab.list()).toEqual([]);
  });

  test('is not valid for a resource that is not bookable, or a group', async () => {
    const definitions = [
      { name: 'bench', capacity: 1, blocks: [], treePath: null },
      { name: 'lab', capacity: null, blocks: [], treePath: null, group: true },
    ];
    await register(lab.running.engine, lab.credential, definitions, NOW);
    for (const [resource, why] of [
      ['bench', 'bench is not bookable'],
      ['lab', 'lab is a group'],
      ['pool_3', 'pool_3 is not registered'],
    ] as const)
      expect(await lab.book(HOUR, 2 * HOUR, { resource })).toMatchObject({ explanation: `NOT_VALID: ${why}` });
  });

  test('is not valid for a time that is over, too far ahead, too short or too long', async () => {
    const day = 24 * HOUR;
    for (const [from, to, why] of [
      [-61, HOUR, 'start is over'],
      [-60, 0, 'end is over'],
      [366 * day + 1, 366 * day + HOUR, 'start must be at most 366 days ahead'],
      [HOUR, HOUR + 59, 'end must be at least 60 s after start'],
      [HOUR, HOUR + day + 1, "this tenant's bookings are at most 86400 s long"],
    ] as const) {
      expect(await lab.book(from, to)).toMatchObject({ status: 'NOT_VALID', explanation: `NOT_VALID: ${why}` });
      // An occurrence of a series counts as a conflict.
      const series = '018f0000-0000-7000-8000-000000000002';
      const ofSeries = await lab.book(from, to, { series });
      expect(ofSeries).toMatchObject({ status: 'CONFLICT', explanation: `CONFLICT: ${why}`, series });
      expect(ofSeries.conflict).toBeUndefined();
    }
  });

  test('is not valid for more than 100 future bookings of a requester', async () => {
    const items = Array.from({ length: 101 }, (_, i) => lab.item((i + 1) * HOUR, (i + 2) * HOUR));
    expect((await lab.bookAll(items)).bookings[100]).toMatchObject({
      explanation: 'NOT_VALID: bo has 100 future bookings, and this tenant allows no more',
    });
    expect(await lab.bookAll(items.slice(0, 100))).toMatchObject({ status: 'BOOKED' });
    expect(await lab.book(200 * HOUR, 201 * HOUR)).toMatchObject({ status: 'NOT_VALID' });
    expect(await lab.book(200 * HOUR, 201 * HOUR, { requester: 'al' })).toMatchObject({ status: 'BOOKED' });
    await lab.goTo(HOUR);
    expect(await lab.book(200 * HOUR, 201 * HOUR, { resource: 'pool' })).toMatchObject({ status: 'BOOKED' });
  });
});

describe('a match', () => {
  test('takes the first bookable resource that fits and has a free slot', async () => {
    const labelled = (name: string, os: string, bookable = true) => ({
      name,
      capacity: 1,
      blocks: [],
      treePath: null,
      bookable,
      labels: { os, site: 'berlin' },
    });
    const definitions = [
      labelled('a0', 'android', false),
      labelled('a1', 'android'),
      labelled('a2', 'android'),
      labelled('i1', 'ios'),
    ];
    await register(lab.running.engine, lab.credential, definitions, NOW);
    const android = { resource: 'os=android', match: { os: 'android' } };
    expect(await lab.book(HOUR, 2 * HOUR, android)).toMatchObject({ slot: 'a1', resource: 'a1' });
    expect(await lab.book(HOUR, 3 * HOUR, android)).toMatchObject({ slot: 'a2' });
    expect(await lab.book(HOUR, 2 * HOUR, android)).toMatchObject({
      status: 'CONFLICT',
      conflict: { slot: 'a1' },
    });
    const mac = { resource: 'os=mac', match: { os: 'mac' } };
    expect(await lab.book(HOUR, 2 * HOUR, mac)).toMatchObject({
      explanation: 'NOT_VALID: no bookable resource has all of these labels',
    });
    for (const resource of ['a1', 'a2']) await lab.cancel({ resource });
  });
});
