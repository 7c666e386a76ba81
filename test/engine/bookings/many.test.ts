/**
 * Many bookings at once (docs/specification.md#bookings), and a clock that is set back.
 */
import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../src/domain/conditions.ts';
import { setCondition } from '../../../src/engine/reservations/conditions.ts';
import { hotOf } from '../../support/hotRecord.ts';
import { BookingLab, HOUR } from './lab.ts';

const CROWD = 60;
const lab = new BookingLab({ phone: 1, crowd: CROWD, wide: 160 });
const set = (condition: Condition, ...resources: string[]) =>
  setCondition(
    lab.running.engine,
    lab.credential,
    resources.map((resource) => ({ resource, condition })),
  );

describe('delayed bookings', () => {
  const crowd = Array.from({ length: CROWD }, (_, i) => `crowd_${i}`);
  const marks = async () =>
    (await lab.running.engine.redis.zrange(`{${lab.credential.tenant}}:bookingsDue`, '0', '-1')).filter((member) =>
      member.startsWith('\x01'),
    );

  test('that are many are not tried by calls for other resources', async () => {
    const items = crowd.map((_, i) => lab.item(HOUR, 2 * HOUR, { resource: 'crowd', requester: `r${i}` }));
    await lab.bookAll(items);
    await set('out', ...crowd);
    await lab.goTo(HOUR);
    expect((await lab.list()).filter(({ state }) => state === 'DELAYED')).toHaveLength(CROWD);
    await lab.reserve({ resource: 'phone', requester: 'al', ttlSeconds: 60 });
    expect(await marks()).toEqual([]);
    await set('ready', ...crowd);
    await lab.goTo(HOUR + 60);
    expect(await lab.held()).toHaveLength(CROWD);
    await lab.goTo(2 * HOUR);
    expect(await lab.held()).toEqual([]);
  });

  test('that must be claimed are due as often, so that the sweep comes in time', async () => {
    const { redis } = lab.running.engine;
    const due = async () => (await hotOf(redis, lab.credential.tenant)).nextDue;
    await lab.book(HOUR, 2 * HOUR, { claimWithinSeconds: 300 });
    await set('out', 'phone');
    await lab.goTo(HOUR);
    await lab.held();
    expect(await due()).toBe(lab.at(HOUR + 300) * 1000);
    await lab.goTo(HOUR + 310);
    await lab.held();
    expect(await due()).toBe(lab.at(HOUR + 610) * 1000);
    await lab.goTo(HOUR + 400);
    await set('ready', 'phone');
    expect(await lab.held()).toMatchObject([{ resource: 'phone' }]);
    await lab.goTo(HOUR + 700);
    expect(await lab.held()).toEqual([]);
  });

  test('do not begin before their start if the clock is set back', async () => {
    await lab.book(HOUR, 2 * HOUR);
    await set('out', 'phone');
    await lab.goTo(HOUR);
    await lab.held();
    expect(await lab.list()).toMatchObject([{ state: 'DELAYED' }]);
    await lab.goTo(0);
    await set('ready', 'phone');
    expect(await lab.held()).toEqual([]);
    expect(await lab.list()).toMatchObject([{ state: 'BOOKED' }]);
    await lab.goTo(HOUR);
    expect(await lab.held()).toMatchObject([{ resource: 'phone', expiresAt: lab.iso(2 * HOUR) }]);
  });
});

describe('a reserve of a pool', () => {
  test('whose low slots are all booked too soon takes a slot above them, and looks at few', async () => {
    const { redis } = lab.running.engine;
    await lab.bookAll(
      Array.from({ length: 150 }, (_, i) => lab.item(HOUR, 2 * HOUR, { resource: `wide_${i}`, requester: `r${i}` })),
    );
    const reads = async () => Number(/cmdstat_zrange:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
    const before = await reads();
    expect(await take(2 * HOUR)).toEqual({ wide: 'wide_150' });
    expect((await reads()) - before).toBeLessThan(50);
    // A lower slot is taken as long as one fits.
    expect(await take(HOUR)).toEqual({ wide: 'wide_0' });
    for (let i = 151; i < 160; i++) await take(2 * HOUR);
    // No slot is free any more above the booked ones.
    await lab.cancel({ booking: (await lab.list({ resource: 'wide', requester: 'r100' }))[0]?.booking ?? '' });
    expect(await take(2 * HOUR)).toEqual({ wide: 'wide_100' });
    await lab.goTo(2 * HOUR);
    await lab.held();
  });
});

let takers = 0;
/** Reserves a slot of wide, for somebody new. Returns the slots of pools that it has got. */
const take = async (ttlSeconds: number) =>
  (await lab.reserve({ resource: 'wide', requester: `taker${takers++}`, ttlSeconds })).acquiredSlots;
