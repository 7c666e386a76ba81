/**
 * The limit of bookings that are not over (docs/specification.md#limits).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bookingCalls } from '../support/bookingCalls.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { watch } from '../support/watch.ts';

let one: Instance;
beforeAll(async () => {
  const keys = [{ ...makeConfiguredKey(makeTenant()), tier: 'Free' as const }];
  one = await startInstance({ keys, env: { TIERS: JSON.stringify({ Free: { bookings: 2 } }) } });
  await one.register({ name: 'phone', bookable: true });
});
afterAll(() => one.stop());

const HOUR_MS = 3_600_000;
const item = (hour: number) => {
  const at = (hours: number) => `${new Date(Date.now() + hours * HOUR_MS).toISOString().slice(0, 19)}Z`;
  return { resource: 'phone', requester: 'bo', start: at(hour), end: at(hour + 1) };
};

describe('the limit of bookings', () => {
  test('refuses a request that would exceed it as a whole: 429 Bookings, and subscribers get an event', async () => {
    const { book, cancel, list } = bookingCalls(one);
    const subscriber = await watch(one);
    const { body } = await book([item(1)]);
    expect(await book([item(3), item(5)])).toMatchObject({
      status: 429,
      body: { limitType: 'Bookings', limit: 2, tier: 'Free', upgradeRequired: true, code: 'LIMIT_REACHED' },
    });
    expect((await list()).body).toHaveLength(1);
    expect((await subscriber.count(2))[1]).toMatchObject({
      type: 'TIER_LIMIT_REACHED',
      limitType: 'Bookings',
      limit: 2,
    });
    expect((await book([item(3)])).status).toBe(200);
    expect((await book([item(5)])).status).toBe(429);
    await cancel(body.bookings[0]?.booking ?? '');
    expect((await book([item(5)])).status).toBe(200);
  });
});
