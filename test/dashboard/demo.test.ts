/**
 * The demo data of a new tenant (docs/specification.md#dashboard-and-sign-in).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../src/dashboard/demo/demoData.ts';
import { ask } from '../support/ask.ts';
import { createClient } from '../support/client.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

let holdfast: Instance;
const keys = Array.from({ length: 8 }, (_, i) => makeConfiguredKey(makeTenant(), `tenant ${i}`));
let used = 0;
beforeAll(async () => {
  holdfast = await startInstance({ keys });
});
afterAll(() => holdfast.stop());

async function tenant(role: 'owner' | 'member' = 'owner') {
  const key = keys[used++];
  if (key === undefined) throw new Error('no tenant is left');
  const { cookie } = await signIn(holdfast.redis, key.tenant, { role, email: 'ann@id.example' });
  const client = createClient(holdfast.url, key.key);
  const post = (path: string, fields: Readonly<Record<string, string>> = {}) =>
    ask(`${holdfast.url}/dashboard/demo${path}`, {
      method: 'POST',
      headers: { Cookie: cookie, Origin: holdfast.url },
      body: new URLSearchParams(fields),
    });
  const definitions = async () => (await client.definitions()).body;
  const names = async () => (await definitions()).map(({ name }) => name).sort();
  return { client, post, names, definitions };
}

const DEMO_NAMES = DEMO.map(({ name }) => name).sort();

describe('demo data', () => {
  test('is added by one click, some of it held, and removed by one click', async () => {
    const { client, post, names, definitions } = await tenant();
    expect((await post('')).to).toBe(`/dashboard?done=demo&count=${DEMO.length}`);
    expect(await names()).toEqual(DEMO_NAMES);
    for (const { labels } of await definitions()) expect(labels).toMatchObject({ demo: 'true' });
    const held = (await client.active()).body;
    expect(held.length).toBeGreaterThanOrEqual(5);
    for (const { requester, expiresAt } of held)
      expect([requester, expiresAt]).toEqual([expect.stringMatching(/^demo-/), expect.any(String)]);
    expect((await post('/remove')).to).toBe('/dashboard?done=demoRemoved');
    expect([await names(), (await client.active()).body]).toEqual([[], []]);
  });

  test('leaves alone what the user made: names, parents, blockers and reservations', async () => {
    const { client, post, names, definitions } = await tenant();
    await client.register({ name: 'phones' }, { name: 'gpu', capacity: 2, labels: { demo: 'mine' } }, { name: 'own' });
    await client.reserve({ resource: 'staging-database', requester: 'ann' });
    await post('');
    const all = await definitions();
    const own = all.filter(({ labels }) => labels?.demo !== 'true');
    expect(own).toMatchObject([{ name: 'gpu', capacity: 2 }, { name: 'own' }, { name: 'phones', capacity: 1 }]);
    expect(all.find(({ name }) => name === 'pixel-8')).toMatchObject({ treePath: null });
    expect(all.find(({ name }) => name === 'staging')).toMatchObject({ blocks: [] });
    await post('/remove');
    expect(await names()).toEqual(['gpu', 'own', 'phones']);
    expect((await client.active()).body).toMatchObject([{ resource: 'staging-database', requester: 'ann' }]);
  });

  test('that somebody uses, or has put something below, is kept', async () => {
    const { client, post, names } = await tenant();
    await post('');
    await client.register({ name: 'own-phone', treePath: 'phones' }, { name: 'own', labels: { demo: 'true' } });
    await client.reserve({ resource: 'pixel-9', requester: 'ann' });
    expect((await post('/remove')).to).toBe('/dashboard?done=demoKept&count=2');
    expect(await names()).toEqual(['own', 'own-phone', 'phones', 'pixel-9']);
    expect((await client.active()).body).toMatchObject([{ resource: 'pixel-9', requester: 'ann' }]);
  });

  test.each([
    ['phone', ['pixel-8']],
    ['environment', ['staging', 'staging-database']],
    ['pool', ['emulators']],
  ])('of one example: %s', async (example, added) => {
    const { post, names } = await tenant();
    expect((await post('/try', { example })).to).toBe(
      `/dashboard?done=registered&what=${added.includes('staging') ? 'staging' : added[0]}`,
    );
    expect(await names()).toEqual(added);
    expect(await post('/try', { example })).toMatchObject({
      status: 400,
      text: expect.stringContaining('Nothing was added: these names are there already.'),
    });
  });

  test('takes the right to register', async () => {
    const { post, names } = await tenant('member');
    for (const path of ['', '/try', '/remove']) expect((await post(path)).status).toBe(403);
    expect(await names()).toEqual([]);
  });
});
