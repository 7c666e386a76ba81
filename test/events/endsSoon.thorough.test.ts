/**
 * ENDS_SOON by the real clock and a real worker (docs/specification.md#leases-that-end-soon).
 */
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { defineScripts, loadScripts } from '../../src/redis/scripts.ts';
import { makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

test('ENDS_SOON arrives within 2 s, though no call comes, and before the lease ends', async () => {
  const key = makeConfiguredKey(makeTenant());
  const holdfast = await startInstance({ keys: [key], env: { ROLE: 'all' } });
  defineScripts(holdfast.redis, loadScripts(DEFAULT_TIERS));
  const record = configuredTenants([key]).get(key.tenant);
  if (record === undefined) throw new Error('the tenant is not configured');
  const changed = { ...record, ...DEFAULT_SETTINGS, endsSoonSeconds: 4 };
  await loadTenant(holdfast.redis, changed, { definitionsVersion: 0, lease: null });
  const stream = await watch(holdfast);
  await holdfast.reserve({ resource: 'lab', requester: 'ann', ttlSeconds: 8 });
  await until('ENDS_SOON', () => stream.events.some(({ type }) => type === 'ENDS_SOON'), 20_000);
  const { timestamp, expiresAt } = stream.events.find(({ type }) => type === 'ENDS_SOON') ?? {};
  const leftMs = Date.parse(expiresAt ?? '') - Date.parse(timestamp ?? '');
  expect(leftMs).toBeLessThanOrEqual(4000);
  expect(leftMs).toBeGreaterThan(2000);
  await stream.count(4);
  expect(stream.events.map(({ type }) => type)).toEqual(['RESERVED', 'ENDS_SOON', 'RESERVATION_EXPIRED', 'UNRESERVED']);
  stream.close();
  await holdfast.stop();
});
