import { describe, expect, test } from 'vitest';
import { holdfast, useInstance } from '../support/instance.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';

useInstance({ keys: [makeConfiguredKey(makeTenant(), 'worker')] });

describe('check', () => {
  test('tells who holds what, until when, and whether the requester asked about does', async () => {
    const { body: reserved } = await holdfast.reserve(
      { resource: 'c1', requester: 'alice', ttlSeconds: 60 },
      { resource: 'c2', requester: 'bob' },
    );
    const { status, body } = await holdfast.check(
      { resource: 'c1' },
      { resource: 'c1', requester: 'alice' },
      { resource: 'c2', requester: 'alice' },
      { resource: 'c3', requester: 'alice' },
    );
    expect(status).toBe(200);
    const expiresAt = reserved[0]?.expiresAt;
    expect(expiresAt).toMatch(/Z$/);
    expect(body).toEqual([
      {
        resource: 'c1',
        reserved: true,
        requester: 'alice',
        heldByRequester: null,
        expiresAt,
        waiting: 0,
        reservable: false,
        reason: expect.objectContaining({ holders: [expect.objectContaining({ requester: 'alice' })] }),
      },
      {
        resource: 'c1',
        reserved: true,
        requester: 'alice',
        heldByRequester: true,
        expiresAt,
        waiting: 0,
        reservable: true,
      },
      {
        resource: 'c2',
        reserved: true,
        requester: 'bob',
        heldByRequester: false,
        expiresAt: null,
        waiting: 0,
        reservable: false,
        reason: expect.objectContaining({ holders: [expect.objectContaining({ requester: 'bob' })] }),
      },
      {
        resource: 'c3',
        reserved: false,
        requester: null,
        heldByRequester: false,
        expiresAt: null,
        waiting: 0,
        reservable: true,
      },
    ]);
  });
});

describe('available', () => {
  test('is true for a plain name that nobody holds, false for one that somebody does', async () => {
    expect(await holdfast.available('a1')).toMatchObject({ status: 200, body: true });
    await holdfast.reserve({ resource: 'a1', requester: 'alice' });
    expect(await holdfast.available('a1')).toMatchObject({ status: 200, body: false });
  });

  test.each(['a/b', 'ä ö', '100%', 'a?b#c', '日本 🎉'])('takes the name %s in its path', async (resource) => {
    await holdfast.reserve({ resource, requester: 'alice' });
    expect(await holdfast.available(resource)).toMatchObject({ status: 200, body: false });
  });
});

describe('activeReservations', () => {
  test('gives every field of a reservation and never a token', async () => {
    const mine = await startInstance({ keys: [makeConfiguredKey(makeTenant(), 'worker')] });
    try {
      const before = Date.now();
      const { body: reserved } = await mine.reserve(
        { resource: 'v1', requester: 'alice', ttlSeconds: 60, resourceType: 'Device' },
        { resource: 'v2', requester: 'böb ✓' },
      );
      const { status, headers, body } = await mine.active();
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/json');
      const none = {
        claimBy: null,
        acquiredSlots: null,
        acquiredBlockers: null,
        reservedAtPath: null,
        apiKeyLabel: 'worker',
      };
      const [v1, v2] = reserved;
      expect(body.toSorted((a, b) => a.resource.localeCompare(b.resource))).toEqual([
        {
          ...none,
          resource: 'v1',
          requester: 'alice',
          resourceType: 'Device',
          reservedAt: expect.stringMatching(/Z$/),
          expiresAt: v1?.expiresAt,
          fencingToken: v1?.fencingToken,
        },
        {
          ...none,
          resource: 'v2',
          requester: 'böb ✓',
          resourceType: 'UserDefined',
          reservedAt: expect.stringMatching(/Z$/),
          expiresAt: null,
          fencingToken: v2?.fencingToken,
        },
      ]);
      const reservedAt = Date.parse(body[0]?.reservedAt ?? '');
      expect(Math.abs(reservedAt - before)).toBeLessThan(5000);
    } finally {
      await mine.stop();
    }
  });

  test('is an empty array where nothing is held', async () => {
    const nobody = await startInstance();
    expect((await nobody.active()).body).toEqual([]);
    await nobody.stop();
  });

  test('can be narrowed to a requester and a resource', async () => {
    const mine = await startInstance();
    await mine.reserve(
      { resource: 'n1', requester: 'a' },
      { resource: 'n2', requester: 'a' },
      { resource: 'n3', requester: 'b' },
    );
    const names = async (query: string) => (await mine.active(query)).body.map(({ resource }) => resource).sort();
    expect(await names('?requester=a')).toEqual(['n1', 'n2']);
    expect(await names('?resource=n3')).toEqual(['n3']);
    expect(await names('?resource=n3&requester=a')).toEqual([]);
    expect((await mine.active('?requester=')).status).toBe(400);
    await mine.stop();
  });
});
