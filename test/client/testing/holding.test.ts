/** The time for which holds last, in the service and in its fake: each test runs against both. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HoldfastClient } from '../../../packages/client/src/index.ts';
import { KINDS, type Side } from './contract.ts';

describe.each(KINDS)('$kind', ({ start }) => {
  let running: Awaited<ReturnType<typeof start>>;
  let side: Side;
  let client: HoldfastClient;
  beforeAll(async () => {
    running = await start();
  });
  beforeEach(async () => {
    side = await running.make();
    ({ client } = side);
  });
  afterAll(() => running.stop());

  describe('using', () => {
    test('returns what the work returns, and releases however it ends', async () => {
      expect(await client.using('printer', async (hold, signal) => [hold.resource, signal.aborted])).toEqual([
        'printer',
        false,
      ]);
      const failed = client.using('printer', () => {
        throw new Error('no paper');
      });
      await expect(failed).rejects.toThrow('no paper');
      expect(await client.active()).toEqual([]);
    });

    test('renews the lease while the work runs', async () => {
      await client.using('printer', { ttl: '2s' }, async (hold, signal) => {
        const end = hold.expiresAt?.getTime() ?? 0;
        await side.until(() => (hold.expiresAt?.getTime() ?? 0) >= end + 2000);
        expect(signal.aborted).toBe(false);
      });
    });

    test('rejects with LEASE_LOST if everything was released by somebody else', async () => {
      const lost = client.using('printer', { ttl: '2s' }, async (_, signal) => {
        await client.reset();
        await side.until(() => signal.aborted);
        throw signal.reason;
      });
      await expect(lost).rejects.toMatchObject({ code: 'LEASE_LOST' });
    });
  });

  describe('a lease', () => {
    test('ends if nobody renews it, and the next one has its turn', async () => {
      const hold = await client.reserve('printer', { ttl: '1s' });
      expect(hold.remainingMs).toBeLessThan(1000);
      const next = client.reserve('printer', { wait: '10m' });
      await side.until(() => hold.signal.aborted);
      expect(hold.signal.reason).toMatchObject({ name: 'HoldfastError', code: 'LEASE_LOST' });
      await side.until(async () => (await client.waiting()).length === 0);
      expect((await next).requester).toBe(`${client.requester}#2`);
      await expect(hold.renew()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await hold.release()).toBe(false);
    });
  });

  describe('a session', () => {
    test('has holds that end with it', async () => {
      const session = await client.session({ ttl: '5s' });
      const hold = await session.reserve('a');
      await session.reserve('b');
      await expect(session.reserve('a')).rejects.toMatchObject({ code: 'ALREADY_HAD' });
      expect(hold.requester).toBe(session.requester);
      expect(await client.sessions()).toMatchObject([{ session: session.id, holds: 2, ttlSeconds: 5 }]);
      const end = session.expiresAt.getTime();
      await side.until(() => session.expiresAt.getTime() > end + 2000);
      expect(await session.end()).toBe(2);
      expect(await client.active()).toEqual([]);
    });
  });
});
