/**
 * Every function of the client, against two instances.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Holdfast } from '../../../packages/client/src/index.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../../support/service.ts';

let one: Instance;
let two: Instance;
let a: Holdfast;
let b: Holdfast;
beforeAll(async () => {
  const keys = [makeConfiguredKey(makeTenant())];
  [one, two] = await Promise.all([startInstance({ keys }), startInstance({ keys })]);
  a = new Holdfast({ url: one.url, key: one.key });
  b = new Holdfast({ url: two.url, key: async () => two.key });
  await a.register([
    { name: 'pool', capacity: 3 },
    { name: 'Room', capacity: 2, treePath: 'House', blocks: ['Projector'] },
    { name: 'phone1', labels: { os: 'android' } },
    { name: 'phone2', labels: { os: 'android' } },
  ]);
});
afterAll(async () => {
  await Promise.all([one.stop(), two.stop()]);
});

describe('reserve', () => {
  test('gives a hold with all that the service says', async () => {
    const hold = await a.reserve('Room', { ttl: '20s', note: 'why' });
    expect(hold).toMatchObject({ resource: 'Room', resources: ['Room'], requester: a.requester, slots: ['Room_0'] });
    expect(hold.waitedMs).toBe(0);
    expect(hold.signal.aborted).toBe(false);
    expect(hold.reservations).toMatchObject([
      {
        acquiredBlockers: ['Projector'],
        reservedAtPath: 'House>Room',
        mode: 'EXCLUSIVE',
        acquiredSlots: { Room: 'Room_0' },
      },
    ]);
    const [active] = await b.active({ resource: 'Room' });
    expect(active).toMatchObject({
      fencingToken: hold.fencingToken,
      expiresAt: hold.expiresAt?.toISOString(),
      requester: a.requester,
      note: 'why',
    });
    expect(await hold.release()).toBe(true);
    expect(await hold.release()).toBe(true);
    expect(await b.active({ resource: 'Room' })).toEqual([]);
  });

  test('makes a lease of 30 s, and an endless one only if asked', async () => {
    const started = Date.now();
    await using hold = await a.reserve('lease');
    expect((hold.expiresAt?.getTime() ?? 0) - started).toBeGreaterThan(29_000);
    expect((hold.expiresAt?.getTime() ?? 0) - Date.now()).toBeLessThan(31_000);
    await using endless = await a.reserve('endless', { ttl: Number.POSITIVE_INFINITY });
    expect(endless.expiresAt).toBeNull();
    expect((await a.active({ resource: 'endless' }))[0]?.expiresAt).toBeNull();
  });

  test('takes several names together, by the slots and the highest fencing token', async () => {
    await using hold = await a.reserve(['x', 'pool']);
    expect(hold.resources).toEqual(['x', 'pool']);
    expect(hold.slots).toEqual(['x', 'pool_0']);
    expect(hold.fencingToken).toBe(Math.max(...hold.reservations.map(({ fencingToken }) => fencingToken)));
    await expect(b.reserve(['y', 'x'])).rejects.toMatchObject({
      code: 'ALREADY_HELD',
      heldBy: { requester: a.requester },
    });
    expect((await b.check('y')).reserved).toBe(false);
  });
});
