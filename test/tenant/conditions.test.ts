/**
 * Conditions with a database: who set them is in the audit trail, and a setting decides what holders may say
 * (docs/specification.md#condition, #settings).
 */
import { describe, expect, test } from 'vitest';
import { holdfast, other, own, trail, useAdministration, user } from '../support/administration.ts';
import { until } from '../support/until.ts';

useAdministration();

describe('the audit trail', () => {
  test('has each change that somebody made, and no item that changed nothing', async () => {
    await holdfast.register({ name: 'phone' }, { name: 'pool', capacity: 2 });
    const headers = { 'Idempotency-Key': 'one' };
    const items = [
      { resource: 'phone', condition: 'out', reason: 'display dark' },
      { resource: 'pool_0', condition: 'ready' },
      { resource: 'pool', condition: 'dirty' },
      { resource: 'plain', condition: 'out' },
    ];
    for (let i = 0; i < 2; i++) await holdfast.request('PUT', '/api/v1/Resource/condition', items, headers);
    await holdfast.request('PUT', '/api/v1/Resource/condition?dryRun=true', [{ resource: 'pool', condition: 'out' }]);
    await holdfast.setCondition({ resource: 'phone', condition: 'ready' });
    const noted = async () => (await trail(own.tenant)).filter(({ action }) => action === 'condition.set');
    await until('all are noted', async () => (await noted()).length >= 3);
    const found = (await noted()).toSorted((one, another) => one.id - another.id);
    expect(found.map(({ details }) => details)).toEqual([
      { resource: 'phone', condition: 'out', reason: 'display dark' },
      { resource: 'pool', condition: 'dirty' },
      { resource: 'phone', condition: 'ready' },
    ]);
  });
});

describe('with the setting holdersReport off', () => {
  test('a holder who says out says dirty, on every instance', async () => {
    await holdfast.register({ name: 'board' });
    const change = { holdersReport: false };
    const changed = await user.request(holdfast.url, 'PUT', '/api/v1/Tenant/settings', change);
    expect(changed.body).toMatchObject({ holdersReport: false, requireNote: false });
    const release = async (condition?: 'dirty') => {
      const [held] = (await other.reserve({ resource: 'board', requester: 'r', condition })).body;
      const item = { resource: 'board', requester: 'r', releaseToken: held?.releaseToken, condition: 'out' as const };
      return (await other.unreserve(item)).body[0];
    };
    expect(await release()).toMatchObject({ status: 'RELINQUISHED', condition: 'dirty' });
    // A cleaner may.
    expect(await release('dirty')).toMatchObject({ condition: 'out' });
    await holdfast.setCondition({ resource: 'board', condition: 'ready' });
    await user.request(holdfast.url, 'PUT', '/api/v1/Tenant/settings', { holdersReport: true });
    expect(await release()).toMatchObject({ condition: 'out' });
  });
});
