/**
 * The form that registers resources: it takes slips of the keyboard for slips
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { createClient } from '../support/client.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

let holdfast: Instance;
const keys = Array.from({ length: 20 }, (_, i) => makeConfiguredKey(makeTenant(), `tenant ${i}`));
let used = 0;
beforeAll(async () => {
  holdfast = await startInstance({ keys });
});
afterAll(() => holdfast.stop());

/** A tenant of its own, and an owner of it who types. */
async function lab() {
  const key = keys[used++];
  if (key === undefined) throw new Error('no tenant is left');
  const { cookie } = await signIn(holdfast.redis, key.tenant, { role: 'owner', email: 'ann@id.example' });
  const client = createClient(holdfast.url, key.key);
  const submit = (fields: Readonly<Record<string, string>>) =>
    ask(`${holdfast.url}/dashboard/resources`, {
      method: 'POST',
      headers: { Cookie: cookie, Origin: holdfast.url },
      body: new URLSearchParams({ name: '', capacity: '1', blocks: '', treePath: '', labels: '', ...fields }),
    });
  const names = async () => (await client.definitions()).body.map(({ name }) => name).sort();
  return { client, submit, names };
}

const alertOf = (html: string) => /role="alert">(.*?)<\/p>/s.exec(html)?.[1] ?? '';

describe('blanks at the ends of what was typed', () => {
  test('are left out of names, paths, blockers and labels', async () => {
    const { client, submit } = await lab();
    await client.register({ name: 'lab', group: true }, { name: 'phones', group: true, treePath: 'lab' });
    const { status } = await submit({
      name: ' pixel-12 ',
      treePath: ' lab > phones ',
      blocks: ' ink \r\n\r\n',
      labels: ' os = android ',
    });
    expect(status).toBe(303);
    expect((await client.definitions()).body).toMatchObject([
      { name: 'lab', group: true },
      { name: 'phones', group: true },
      { name: 'pixel-12', treePath: 'lab>phones', blocks: ['ink'], labels: { os: 'android' } },
    ]);
  });

  test('stay in a name whose definition is changed', async () => {
    const { client, submit } = await lab();
    await client.register({ name: 'rig ' });
    expect((await submit({ name: 'rig ', capacity: '3', change: 'true' })).status).toBe(303);
    expect((await client.definitions()).body).toMatchObject([{ name: 'rig ', capacity: 3 }]);
  });
});

describe('a line with several labels', () => {
  test('is refused, and what was typed stays', async () => {
    const { submit, names } = await lab();
    const { status, text } = await submit({ name: 'pixel-12', labels: 'os=android, site=berlin' });
    expect(status).toBe(400);
    expect(alertOf(text)).toContain('Write one label a line: “os=android, site=berlin” has several.');
    expect(text).toContain('value="pixel-12"');
    expect(await names()).toEqual([]);
  });

  test('is none if a value has commas only', async () => {
    const { client, submit } = await lab();
    expect((await submit({ name: 'pixel-12', labels: 'sizes=s,m,l' })).status).toBe(303);
    expect((await client.definitions()).body).toMatchObject([{ labels: { sizes: 's,m,l' } }]);
  });
});

describe('an ancestor that is not registered', () => {
  const typed = { name: 'pixel-11', treePath: 'lab>phone' };

  test('is asked about, and nothing is registered before', async () => {
    const { client, submit, names } = await lab();
    await client.register({ name: 'lab', group: true }, { name: 'phones', group: true, treePath: 'lab' });
    const { status, text } = await submit(typed);
    expect(status).toBe(409);
    expect(alertOf(text)).toContain('Not registered yet: “phone”. Correct the tree path, or say what to register.');
    expect(text).toMatch(/<legend>phone: not registered yet/);
    expect(await names()).toEqual(['lab', 'phones']);
    expect((await submit({ ...typed, treePath: 'lab>phones' })).status).toBe(303);
    expect(await names()).toEqual(['lab', 'phones', 'pixel-11']);
  });

  test.each([
    ['groups', { group: true }],
    ['slots', { capacity: 1 }],
  ])('is registered once the person has chosen: %s', async (ancestors, kind) => {
    const { client, submit } = await lab();
    expect((await submit({ ...typed, ancestors, missing: 'lab>phone' })).status).toBe(303);
    expect((await client.definitions()).body).toMatchObject([
      { name: 'lab', ...kind },
      { name: 'phone', ...kind, treePath: 'lab' },
      { name: 'pixel-11', treePath: 'lab>phone' },
    ]);
  });

  test('is asked about again if it is another one by now', async () => {
    const { submit, names } = await lab();
    const { status } = await submit({ ...typed, ancestors: 'slots', missing: 'lab>phones' });
    expect([status, await names()]).toEqual([409, []]);
  });
});

describe('the name of a definition that exists', () => {
  test('is refused in the form of a new one, with a link to its page', async () => {
    const { client, submit } = await lab();
    await client.register({ name: 'old rig', labels: { site: 'berlin' } });
    const { status, text } = await submit({ name: 'old rig', labels: 'x=1' });
    expect(status).toBe(409);
    expect(alertOf(text)).toContain('“old rig” is registered already.');
    expect(alertOf(text)).toContain('href="/dashboard/resources/one?name=old+rig"');
    expect((await client.definitions()).body).toMatchObject([{ labels: { site: 'berlin' } }]);
  });
});

describe('a capacity below what is held', () => {
  test('is asked about, and then registered', async () => {
    const { client, submit } = await lab();
    await client.register({ name: 'rigs', capacity: 4 });
    await client.reserve({ resource: 'rigs', requester: 'ci', count: 3 });
    const capacity = async () => (await client.definitions()).body[0]?.capacity;
    const change = { name: 'rigs', capacity: '2', change: 'true' };
    const asked = await submit(change);
    expect([asked.status, alertOf(asked.text)]).toEqual([409, expect.stringContaining('3 slots of “rigs” are held')]);
    expect(await capacity()).toBe(4);
    expect((await submit({ ...change, held: '3' })).status).toBe(303);
    expect(await capacity()).toBe(2);
  });
});
