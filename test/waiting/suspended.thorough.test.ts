/**
 * Waits of a tenant that is suspended end (docs/specification.md#waiting-lifetimes).
 */
import { describe, expect, test } from 'vitest';
import { asAdmin, other, store, useAdministration } from '../support/administration.ts';
import { createClient } from '../support/client.ts';
import { poll, queue, wanted } from '../support/polls.ts';
import { storeTenant } from '../support/tenancy.ts';
import { until } from '../support/until.ts';

describe('a suspended tenant', () => {
  useAdministration();

  test('its long polls get 403 within 5 s, and its unclaimed grants end', async () => {
    const { key, tenant } = await storeTenant(store, 'Pro');
    const holdfast = createClient(other.url, key);
    await holdfast.reserve({ resource: 's', requester: 'owner' });
    const call = poll({ url: other.url, key }, [wanted('s', 'ann')], 30);
    await queue(holdfast, 'ann waits', ({ length }) => length === 1);
    const [owned] = (await holdfast.reserve({ resource: 'r', requester: 'owner', ttlSeconds: 600 })).body;
    const bob = poll({ url: other.url, key }, [wanted('r', 'bob', { claimSeconds: 5, ttlSeconds: 600 })], 0);
    expect(await bob.first).toMatchObject({ status: 'WAITING' });
    await holdfast.renew({ resource: 'r', requester: 'owner', releaseToken: owned?.releaseToken ?? '', ttlSeconds: 2 });

    const suspendedAt = performance.now();
    await asAdmin('POST', `/${tenant}/suspend`);
    const { status, body } = await call.response;
    expect([status, body]).toMatchObject([403, { code: 'FORBIDDEN' }]);
    // Not only when pollSeconds have passed.
    expect(performance.now() - suspendedAt).toBeLessThan(20_000);

    // bob is granted r when the lease ends, and cannot claim it.
    const slots = `{${tenant}}:slots`;
    await until('r is free', async () => (await store.redis.hexists(slots, 'r')) === 0);
    await asAdmin('POST', `/${tenant}/resume`);
    const left = await holdfast.active();
    expect(left.body.map(({ resource, requester }) => [resource, requester])).toEqual([['s', 'owner']]);
  });
});
