/**
 * A tenant's tier caps how many resources it may register.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { watch } from '../support/watch.ts';

let one: Instance;
beforeAll(async () => {
  const keys = [{ ...makeConfiguredKey(makeTenant()), tier: 'Free' as const }];
  one = await startInstance({ keys, env: { TIERS: JSON.stringify({ Free: { definitions: 5 } }) } });
});
afterAll(() => one.stop());

test('at the cap new names are refused whole: 429 ResourceDefinitions, and subscribers are told; what is registered may be changed', async () => {
  const subscriber = await watch(one);
  expect((await one.register({ name: 'a' }, { name: 'b' }, { name: 'c', treePath: 'd' })).status).toBe(200);
  const refused = await one.register({ name: 'e' }, { name: 'f' });
  expect(refused).toMatchObject({
    status: 429,
    body: { limitType: 'ResourceDefinitions', limit: 5, tier: 'Free', upgradeRequired: true, code: 'LIMIT_REACHED' },
  });
  expect((await subscriber.count(1))[0]).toMatchObject({
    type: 'TIER_LIMIT_REACHED',
    limitType: 'ResourceDefinitions',
    limit: 5,
  });
  expect((await one.register({ name: 'a', capacity: 3 }, { name: 'e', treePath: 'd' })).status).toBe(200);
  expect((await one.register({ name: 'f' })).status).toBe(429);
  await one.delete('b');
  expect((await one.register({ name: 'f' })).status).toBe(200);
  expect((await one.definitions()).body.map(({ name }) => name)).toEqual(['a', 'c', 'd', 'e', 'f']);
});
