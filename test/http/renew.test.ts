import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { type Instance, startInstance } from '../support/service.ts';

let holdfast: Instance;
// Ahead of the real clock, by which other tests' instances end leases.
const start = Date.now() + 86_400_000;
const at = (seconds: number) => setClock(holdfast.redis, holdfast.tenant, start + seconds * 1000);
const time = (seconds: number) => new Date(start + seconds * 1000).toISOString();
beforeAll(async () => {
  holdfast = await startInstance({ includes: { 'frame/now': STEERED_CLOCK } });
  await at(0);
});
afterAll(() => holdfast.stop());

const held = async (resource: string, ttlSeconds?: number) => {
  const { body } = await holdfast.reserve({ resource, requester: 'alice', ttlSeconds });
  return { resource, requester: 'alice', releaseToken: body[0]?.releaseToken };
};

describe('renew', () => {
  test('RENEWED: the lease ends so many seconds from now, later or earlier than before', async () => {
    const item = await held('r1', 10);
    await at(9);
    const { status, body } = await holdfast.renew({ ...item, ttlSeconds: 10 });
    expect(status).toBe(200);
    expect(body).toEqual([
      { resource: 'r1', requester: 'alice', status: 'RENEWED', explanation: 'RENEWED', expiresAt: time(19) },
    ]);
    await at(18);
    expect((await holdfast.available('r1')).body).toBe(false);
    await holdfast.renew({ ...item, ttlSeconds: 600 });
    await holdfast.renew({ ...item, ttlSeconds: 1 });
    await at(19);
    expect((await holdfast.available('r1')).body).toBe(true);
    await at(0);
  });

  test('gives a lease to a reservation that had none, and the fencing token stays', async () => {
    const item = await held('r2');
    const before = (await holdfast.active('?resource=r2')).body;
    await holdfast.renew({ ...item, ttlSeconds: 5 });
    expect((await holdfast.active('?resource=r2')).body).toEqual([{ ...before[0], expiresAt: time(5) }]);
  });

  test('NOT_RESERVED once the lease is over', async () => {
    const item = await held('r3', 1);
    await at(1);
    const { body } = await holdfast.renew({ ...item, ttlSeconds: 10 });
    expect(body[0]).toMatchObject({ status: 'NOT_RESERVED', expiresAt: null });
    await at(0);
  });

  test('DOESNT_OWN_RESERVATION of what another requester holds', async () => {
    const item = await held('r4');
    const { status, body } = await holdfast.renew({ ...item, requester: 'bob', ttlSeconds: 10 });
    expect(status).toBe(200);
    expect(body[0]).toMatchObject({ status: 'DOESNT_OWN_RESERVATION', explanation: 'DOESNT_OWN_RESERVATION' });
  });

  test('a bad token: 403 as in unreserve, and the other items are carried out', async () => {
    const [bad, good] = [await held('r5', 60), await held('r6', 60)];
    const { status, headers, body } = await holdfast.renew(
      { ...bad, releaseToken: randomUUID(), ttlSeconds: 10 },
      { ...good, ttlSeconds: 10 },
    );
    expect(status).toBe(403);
    expect(headers.get('holdfast-error')).toBe('INVALID_RELEASE_TOKEN');
    expect(body.map(({ status, explanation }) => [status, explanation])).toEqual([
      ['DOESNT_OWN_RESERVATION', 'INVALID_RELEASE_TOKEN'],
      ['RENEWED', 'RENEWED'],
    ]);
  });

  test('of a pool’s slot and of a tree’s leaf, by whatever name they go', async () => {
    await holdfast.register({ name: 'pool', capacity: 2, treePath: 'root' });
    const item = await held('root>pool', 60);
    for (const resource of ['root>pool', 'pool', 'pool_0']) {
      const { body } = await holdfast.renew({ ...item, resource, ttlSeconds: 90 });
      expect(body[0]).toMatchObject({ status: 'RENEWED', expiresAt: time(90) });
    }
  });

  test('needs a ttlSeconds', async () => {
    const answer = await holdfast.request('POST', '/api/v1/Reservation/renew', [{ resource: 'r', requester: 'q' }]);
    expect(answer).toMatchObject({ status: 400, body: '[0].ttlSeconds is required' });
  });
});
