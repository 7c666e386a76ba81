/**
 * Many bookings at once (docs/specification.md#the-start-and-the-end), and a clock that is set back.
 */
import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../src/domain/conditions.ts';
import { setCondition } from '../../../src/engine/reservations/conditions.ts';
import { BookingLab, HOUR } from './lab.ts';

const CROWD = 60;
const lab = new BookingLab({ phone: 1, crowd: CROWD });
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
