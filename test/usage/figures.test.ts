/**
 * The figures of a resource's use (docs/specification.md#usage-of-resources): the pure calculation.
 */
import { describe, expect, test } from 'vitest';
import type { PastEntry } from '../../src/domain/history.ts';
import { poolsOf } from '../../src/domain/pools.ts';
import { heldNow, p95Of, shareOf, stepsOf, usageOf, withHeld } from '../../src/domain/usage.ts';

const ENTRY: PastEntry = {
  kind: 'RESERVATION',
  number: 1,
  resource: 'printer',
  requestedName: null,
  slots: ['printer'],
  requester: 'q',
  resourceType: 'UserDefined',
  mode: 'EXCLUSIVE',
  apiKeyLabel: null,
  note: null,
  waitedMs: null,
  reservedAt: 0,
  endedAt: 0,
  ending: 'RELEASED',
  actor: null,
  booking: null,
};
const entry = (part: Partial<PastEntry>): PastEntry => ({ ...ENTRY, ...part });
const wait = (part: Partial<PastEntry>) => entry({ kind: 'WAIT', reservedAt: null, slots: [], ...part });

/** Ten steps of 10 ms. */
const FRAME = { fromMs: 1000, toMs: 1100, stepMs: 10 };

describe('the time in use', () => {
  test('is clipped to the span and to each step', () => {
    const { total, steps } = usageOf([entry({ reservedAt: 995, endedAt: 1025 })], FRAME);
    expect(total.heldMs).toBe(25);
    expect(steps.map(({ heldMs }) => heldMs)).toEqual([10, 10, 5, 0, 0, 0, 0, 0, 0, 0]);
  });

  test('goes on to the end of the span for what ended after it', () => {
    const { total, steps } = usageOf([entry({ reservedAt: 1095, endedAt: 1500 })], FRAME);
    expect([total.heldMs, steps[9]?.heldMs]).toEqual([5, 5]);
  });

  test('counts each slot of a reservation of several', () => {
    const { total } = usageOf([entry({ slots: ['a', 'b', 'c'], reservedAt: 1000, endedAt: 1010 })], FRAME);
    expect(total.heldMs).toBe(30);
  });

  test('counts reservations in force up to now, or to the end of their lease', () => {
    const held = { resource: 'printer', requester: 'ann', slots: 1, reservedAt: 1050, expiresAt: null };
    const past = usageOf([], FRAME);
    expect(withHeld(past, [held], FRAME, 1070).total).toMatchObject({ heldMs: 20, reservations: 1 });
    expect(withHeld(past, [{ ...held, expiresAt: 1060 }], FRAME, 1070).total.heldMs).toBe(10);
    expect(withHeld(past, [held], FRAME, 9999).steps.map(({ heldMs }) => heldMs)).toEqual([
      0, 0, 0, 0, 0, 10, 10, 10, 10, 10,
    ]);
  });

  test('out of service is no use, and does not count for the share', () => {
    const out = entry({ kind: 'OUT_OF_SERVICE', ending: 'OUT_OF_SERVICE', reservedAt: 995, endedAt: 1025 });
    const past = usageOf([out, entry({ reservedAt: 1030, endedAt: 1040 })], FRAME);
    expect(past.total).toMatchObject({ heldMs: 10, outMs: 25, reservations: 1, meanHeldMs: 10 });
    expect(past.steps.map(({ outMs }) => outMs)).toEqual([10, 10, 5, 0, 0, 0, 0, 0, 0, 0]);
    // Another slot has been out of service since 1050.
    const { total, steps } = withHeld(past, [], FRAME, 1085, [1050]);
    expect([total.outMs, ...steps.slice(5).map(({ outMs }) => outMs)]).toEqual([60, 10, 10, 10, 5, 0]);
    expect(shareOf(10, 1, 100, 60)).toBe(0.25);
    expect([shareOf(0, 1, 100, 100), shareOf(5, 1, 100, 100)]).toEqual([0, 1]);
  });

  test('as a share is that of all slots, and at most 1', () => {
    expect(shareOf(50, 2, 100)).toBe(0.25);
    expect(shareOf(500, 1, 100)).toBe(1);
    expect(shareOf(0, 1, 0)).toBe(0);
  });

  test('has a shorter last step where the span ends within it', () => {
    const frame = { ...FRAME, toMs: 1015 };
    expect(stepsOf(frame)).toBe(2);
    expect(usageOf([entry({ reservedAt: 1000, endedAt: 1100 })], frame).steps.map(({ heldMs }) => heldMs)).toEqual([
      10, 5,
    ]);
  });
});

describe('reservations', () => {
  test('count in the step in which they were made, and their times in the one in which they ended', () => {
    const { total, steps } = usageOf([entry({ reservedAt: 1005, endedAt: 1025, waitedMs: 7 })], FRAME);
    expect(steps.map(({ reservations }) => reservations).slice(0, 3)).toEqual([1, 0, 0]);
    expect(steps.map(({ meanHeldMs }) => meanHeldMs).slice(0, 3)).toEqual([null, null, 20]);
    expect(steps[2]).toMatchObject({ p95HeldMs: 20, meanWaitedMs: 7, p95WaitedMs: 7 });
    expect(total).toMatchObject({ reservations: 1, meanHeldMs: 20, meanWaitedMs: 7 });
  });

  test('that did not wait are not part of the mean wait, and waits that came to nothing of no figure', () => {
    const { total } = usageOf(
      [
        entry({ reservedAt: 1000, endedAt: 1001 }),
        entry({ reservedAt: 1001, endedAt: 1002, waitedMs: 30 }),
        wait({ endedAt: 1003, waitedMs: 500 }),
      ],
      FRAME,
    );
    expect(total).toMatchObject({ reservations: 2, meanWaitedMs: 30, p95WaitedMs: 30 });
  });
});

test('the 95th percentile is the least value that is as large as 95 of 100', () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  expect(p95Of(values)).toBe(95);
  expect(p95Of([...values, 1000])).toBe(96);
  expect(p95Of([3])).toBe(3);
  expect(p95Of([])).toBe(null);
});

describe('resources', () => {
  const known = new Map([
    ['printer', { capacity: 2, isTakenAlong: false }],
    ['idle', { capacity: 1, isTakenAlong: false }],
    ['floor', { capacity: 9, isTakenAlong: true }],
  ]);
  const query = { fromMs: 1000, toMs: 1100, known, heldNow: [], outNow: [], limit: 20 };

  test('come by their share of the time in use, and by how long people waited', () => {
    const { byShare, byWaiting } = poolsOf(
      [
        entry({ reservedAt: 900, endedAt: 1050 }),
        entry({ resource: 'desk', slots: ['desk'], reservedAt: 1000, endedAt: 1040, waitedMs: 10 }),
        wait({ resource: 'desk', endedAt: 1050, waitedMs: 30 }),
        wait({ resource: 'lamp', endedAt: 1050, waitedMs: 15 }),
      ],
      query,
    );
    expect(byShare.map(({ resource, share }) => [resource, share])).toEqual([
      ['desk', 0.4],
      ['printer', 0.25],
      ['lamp', 0],
    ]);
    expect(
      byWaiting.map(({ resource, meanWaitedMs, waited, gaveUp }) => [resource, meanWaitedMs, waited, gaveUp]),
    ).toEqual([
      ['desk', 20, 1, 1],
      ['lamp', 15, 0, 1],
    ]);
  });

  test('that nobody held or waited for are unused, but for those that others take along', () => {
    expect(poolsOf([], query)).toMatchObject({ unused: ['idle', 'printer'], unusedCount: 2 });
    const held = heldNow(
      'resource',
      [{ resource: 'idle', requester: 'ann', slots: 1, reservedAt: 10, expiresAt: null }],
      query,
      1100,
    );
    expect(poolsOf([], { ...query, heldNow: held })).toMatchObject({
      unused: ['printer'],
      byShare: [{ resource: 'idle', share: 1, reservations: 0 }],
    });
  });

  test('that were out of service come by their share of the time, and are not unused', () => {
    const out = { kind: 'OUT_OF_SERVICE' as const, ending: 'OUT_OF_SERVICE' as const };
    const pools = poolsOf([entry({ ...out, slots: ['printer_0'], reservedAt: 900, endedAt: 1050 })], {
      ...query,
      outNow: [{ resource: 'idle', outMs: 80 }],
    });
    expect(pools.outOfService).toEqual([
      { resource: 'idle', share: 0.8 },
      { resource: 'printer', share: 0.25 },
    ]);
    expect(pools.unused).toEqual([]);
  });

  test('are at most as many as the limit', () => {
    const entries = ['a', 'b', 'c'].map((resource) => wait({ resource, endedAt: 1050, waitedMs: 1 }));
    const pools = poolsOf(entries, { ...query, limit: 2 });
    expect([pools.byShare.length, pools.byWaiting.length]).toEqual([2, 2]);
  });
});
