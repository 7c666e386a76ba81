import { describe, expect, test } from 'vitest';
import { STEERED_CLOCK, setClock } from '../support/clock.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

useInstance({ includes: { 'frame/now': STEERED_CLOCK } });

describe('reserve of a free resource: ACQUIRED', () => {
  test('gives every field, null where it does not apply', async () => {
    const { status, body } = await holdfast.reserve({ resource: 'r1', requester: 'alice' });
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        resource: 'r1',
        requester: 'alice',
        status: 'ACQUIRED',
        explanation: 'ACQUIRED',
        releaseToken: expect.stringMatching(UUID),
        expiresAt: null,
        acquiredSlots: null,
        acquiredBlockers: null,
        reservedAtPath: null,
        fencingToken: expect.any(Number),
      },
    ]);
  });

  test('expiresAt is ttlSeconds after the time of Redis', async () => {
    const { redis, tenant } = holdfast;
    await setClock(redis, tenant, Date.UTC(2040, 0, 1));
    const { body } = await holdfast.reserve({ resource: 'r2', requester: 'alice', ttlSeconds: 90 });
    expect(body[0]?.expiresAt).toBe('2040-01-01T00:01:30.000Z');
    await redis.del(`{${tenant}}:clock`);
  });
});

describe('reserve by the requester that holds it: ALREADY_HAD', () => {
  test('gives the same token, expiry and fencing token, and changes nothing', async () => {
    const first = await holdfast.reserve({ resource: 'r3', requester: 'alice', ttlSeconds: 60, resourceType: 'A' });
    const again = await holdfast.reserve({ resource: 'r3', requester: 'alice', ttlSeconds: 5, resourceType: 'B' });
    expect(again.body).toEqual([{ ...first.body[0], status: 'ALREADY_HAD', explanation: 'ALREADY_HAD' }]);
    const { body } = await holdfast.active('?resource=r3');
    expect(body).toMatchObject([{ resourceType: 'A', expiresAt: first.body[0]?.expiresAt }]);
  });
});

describe('reserve of what another requester holds: ALREADY_HELD', () => {
  test('gives nothing and leaves the holder alone', async () => {
    const { body: held } = await holdfast.reserve({ resource: 'r4', requester: 'alice' });
    const { status, body } = await holdfast.reserve({ resource: 'r4', requester: 'bob', ttlSeconds: 9 });
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        resource: 'r4',
        requester: 'bob',
        status: 'ALREADY_HELD',
        explanation: 'ALREADY_HELD',
        releaseToken: null,
        expiresAt: null,
        acquiredSlots: null,
        acquiredBlockers: null,
        reservedAtPath: null,
        fencingToken: null,
        heldBy: { resource: 'r4', requester: 'alice', since: expect.any(String), expiresAt: null, note: null },
      },
    ]);
    const { body: after } = await holdfast.reserve({ resource: 'r4', requester: 'alice' });
    expect(after[0]?.releaseToken).toBe(held[0]?.releaseToken);
  });
});

describe('a batch', () => {
  test('has a result for each item, in their order, and items see the effect of earlier ones', async () => {
    const { body } = await holdfast.reserve(
      { resource: 'b1', requester: 'alice' },
      { resource: 'b1', requester: 'bob' },
      { resource: 'b2', requester: 'bob' },
      { resource: 'b1', requester: 'alice' },
    );
    expect(body.map(({ resource, requester, status }) => [resource, requester, status])).toEqual([
      ['b1', 'alice', 'ACQUIRED'],
      ['b1', 'bob', 'ALREADY_HELD'],
      ['b2', 'bob', 'ACQUIRED'],
      ['b1', 'alice', 'ALREADY_HAD'],
    ]);
    expect(body[3]?.releaseToken).toBe(body[0]?.releaseToken);
  });

  test('of 500 items is carried out whole', async () => {
    const items = Array.from({ length: 500 }, (_, i) => ({
      resource: `bulk-${i}`,
      requester: 'alice',
      ttlSeconds: 60,
    }));
    const { status, body } = await holdfast.reserve(...items);
    expect(status).toBe(200);
    expect(body.map(({ resource, status }) => [resource, status])).toEqual(
      items.map(({ resource }) => [resource, 'ACQUIRED']),
    );
    expect(new Set(body.map(({ releaseToken }) => releaseToken)).size).toBe(500);
    const released = await holdfast.unreserve(
      ...body.map(({ resource, requester, releaseToken }) => ({ resource, requester, releaseToken })),
    );
    expect(new Set(released.body.map(({ status }) => status))).toEqual(new Set(['RELINQUISHED']));
  });

  test('with one bad item is refused whole, and nothing is applied', async () => {
    const { status } = await holdfast.reserve({ resource: 'b3', requester: 'a' }, { resource: '', requester: 'a' });
    expect(status).toBe(400);
    expect((await holdfast.available('b3')).body).toBe(true);
  });
});

describe('the fencing token', () => {
  test('grows with every ACQUIRED of the tenant, within a batch too', async () => {
    const tokens: (number | null)[] = [];
    for (const round of [1, 2, 3]) {
      const { body } = await holdfast.reserve(
        { resource: `f${round}a`, requester: 'alice' },
        { resource: `f${round}b`, requester: 'alice' },
      );
      tokens.push(...body.map(({ fencingToken }) => fencingToken));
    }
    expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a) - Number(b)));
    expect(new Set(tokens).size).toBe(6);
  });

  test('is the time of Redis in microseconds, and never falls back with it', async () => {
    const { redis, tenant } = holdfast;
    const late = Date.UTC(2050, 0, 1);
    await setClock(redis, tenant, late);
    const first = await holdfast.reserve({ resource: 'g1', requester: 'alice' });
    expect(first.body[0]?.fencingToken).toBe(late * 1000);
    await setClock(redis, tenant, late - 3_600_000);
    const second = await holdfast.reserve({ resource: 'g2', requester: 'alice' });
    expect(second.body[0]?.fencingToken).toBe(late * 1000 + 1);
    await redis.del(`{${tenant}}:clock`);
  });
});

describe('a lease', () => {
  test('is free for others from the moment it is due, and not before, with no sweep', async () => {
    const { redis, tenant } = holdfast;
    const start = Date.UTC(2060, 0, 1);
    await setClock(redis, tenant, start);
    await holdfast.reserve({ resource: 'l1', requester: 'alice', ttlSeconds: 10 });
    await setClock(redis, tenant, start + 9_999);
    expect((await holdfast.reserve({ resource: 'l1', requester: 'bob' })).body[0]?.status).toBe('ALREADY_HELD');
    expect((await holdfast.available('l1')).body).toBe(false);
    await setClock(redis, tenant, start + 10_000);
    expect((await holdfast.available('l1')).body).toBe(true);
    expect((await holdfast.check({ resource: 'l1' })).body[0]?.reserved).toBe(false);
    expect((await holdfast.active('?resource=l1')).body).toEqual([]);
    expect((await holdfast.reserve({ resource: 'l1', requester: 'bob' })).body[0]?.status).toBe('ACQUIRED');
    await redis.del(`{${tenant}}:clock`);
  });

  test('that is over is nobody’s: its token releases nothing', async () => {
    const { redis, tenant } = holdfast;
    const start = Date.UTC(2061, 0, 1);
    await setClock(redis, tenant, start);
    const { body } = await holdfast.reserve({ resource: 'l2', requester: 'alice', ttlSeconds: 1 });
    await setClock(redis, tenant, start + 1000);
    const released = await holdfast.unreserve({
      resource: 'l2',
      requester: 'alice',
      releaseToken: body[0]?.releaseToken,
    });
    expect(released.body[0]?.status).toBe('NOT_RESERVED');
    await redis.del(`{${tenant}}:clock`);
  });
});

describe('tenants', () => {
  test('cannot see each other’s anything', async () => {
    const other = await startInstance();
    try {
      const mine = await holdfast.reserve({ resource: 'shared', requester: 'alice' });
      const theirs = await other.reserve({ resource: 'shared', requester: 'bob' });
      expect([mine.body[0]?.status, theirs.body[0]?.status]).toEqual(['ACQUIRED', 'ACQUIRED']);
      expect((await other.active()).body.map(({ requester }) => requester)).toEqual(['bob']);
      expect((await other.check({ resource: 'r1' })).body[0]?.reserved).toBe(false);
      const stolen = await other.unreserve({
        resource: 'shared',
        requester: 'alice',
        releaseToken: mine.body[0]?.releaseToken,
      });
      expect(stolen.body[0]?.status).toBe('DOESNT_OWN_RESERVATION');
    } finally {
      await other.stop();
    }
  });
});

describe('several instances', () => {
  test('serve the same tenant: what one reserves another sees and releases', async () => {
    const keys = [makeConfiguredKey(makeTenant())];
    const [one, two] = await Promise.all([startInstance({ keys }), startInstance({ keys })]);
    try {
      const { body } = await one.reserve({ resource: 'x', requester: 'alice' });
      expect((await two.reserve({ resource: 'x', requester: 'bob' })).body[0]?.status).toBe('ALREADY_HELD');
      const released = await two.unreserve({
        resource: 'x',
        requester: 'alice',
        releaseToken: body[0]?.releaseToken,
      });
      expect(released.body[0]?.status).toBe('RELINQUISHED');
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  });

  test('give a contended resource to exactly one of many', async () => {
    const keys = [makeConfiguredKey(makeTenant())];
    const instances = await Promise.all([startInstance({ keys }), startInstance({ keys }), startInstance({ keys })]);
    try {
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          instances[i % 3]?.reserve({ resource: 'x', requester: `r${i}`, ttlSeconds: 30 }),
        ),
      );
      const acquired = answers.filter((answer) => answer?.body[0]?.status === 'ACQUIRED');
      expect(acquired).toHaveLength(1);
    } finally {
      await Promise.all(instances.map((instance) => instance.stop()));
    }
  });
});
