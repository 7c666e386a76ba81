/**
 * The list of who waits says for which condition (docs/specification.md#cancel-and-who-is-waiting).
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { holdfast, useInstance } from '../../support/instance.ts';

useInstance();
beforeEach(async () => {
  await holdfast.reset();
  await holdfast.register({ name: 'phone' }, { name: 'rig' });
  for (const resource of ['phone', 'rig']) await holdfast.setCondition({ resource, condition: 'ready' });
});

const WAIT = { ttlSeconds: 60, waitSeconds: 60 };
const rows = async () => (await holdfast.request<object[]>('GET', '/api/v1/Reservation/waiting')).body;

describe('a request that waits', () => {
  test('shows the condition of each resource, if one of them is not ready', async () => {
    await holdfast.reserve({ resource: 'rig', requester: 'ann' });
    const requests = [
      { requestType: 'RESERVE', resource: 'phone', requester: 'cleaner', ttlSeconds: 60, condition: 'dirty' },
      { requestType: 'RESERVE', resource: 'rig', requester: 'cleaner', ttlSeconds: 60 },
    ];
    const body = { method: 'ALL_OR_NONE', requests, waitSeconds: 60 };
    await holdfast.request('POST', '/api/v1/Reservation/transaction?pollSeconds=0', body);
    expect(await rows()).toMatchObject([{ resources: ['phone', 'rig'], conditions: ['dirty', 'ready'] }]);
  });

  test.each(['dirty', 'out'] as const)('for what is %s says so', async (condition) => {
    await holdfast.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource: 'phone', requester: 'cleaner', condition, ...WAIT },
    ]);
    expect(await rows()).toMatchObject([{ resources: ['phone'], conditions: [condition] }]);
  });

  test('for ready slots says nothing', async () => {
    await holdfast.reserve({ resource: 'phone', requester: 'ann' });
    await holdfast.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource: 'phone', requester: 'bob', ...WAIT },
    ]);
    expect(await rows()).toMatchObject([{ requester: 'bob' }]);
    expect((await rows())[0]).not.toHaveProperty('conditions');
  });
});
