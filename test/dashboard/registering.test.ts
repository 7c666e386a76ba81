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
  const see = (path: string) => ask(`${holdfast.url}/dashboard/resources${path}`, { headers: { Cookie: cookie } });
  const names = async () => (await client.definitions()).body.map(({ name }) => name).sort();
  return { client, submit, see, names };
}

const alertOf = (html: string) => /role="alert">(.*?)<\/p>/s.exec(html)?.[1] ?? '';

describe('a new resource', () => {
  test('like another has all of it but the name and attributes; in a group its path, bookable as those there', async () => {
    const { client, see } = await lab();
    await client.register({ name: 'lab', group: true }, { name: 'phones', group: true, treePath: 'lab' });
    const labels = { os: 'android', site: 'berlin' };
    const one = { name: 'pixel-9', treePath: 'lab>phones', labels, bookable: true, attributes: { serial: 'A1' } };
    await client.register(one, { name: 'boxes', group: true });
    expect((await see('')).text).toContain('register?like=phones');
    expect((await see('/register?name=pixel-9')).text).toContain('register?like=pixel-9');
    const form = async (like: string) => (await see(`/register?like=${like}`)).text;
    const bookable = / name="bookable"[^>]* checked/;
    const like = await form('pixel-9');
    for (const text of ['value="lab &gt; phones"', 'value="os=android"', 'value="site=berlin"', bookable])
      expect(like).toMatch(text);
    for (const text of [/name="name"[^>]*value="pixel-9"/, />serial=A1</, 'name="change"'])
      expect(like).not.toMatch(text);
    const within = await form('phones');
    for (const text of ['value="lab &gt; phones"', bookable]) expect(within).toMatch(text);
    const empty = await form('boxes');
    expect(empty).toContain('value="boxes"');
    expect(empty).not.toMatch(bookable);
  });
});

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

describe('a field of labels', () => {
  test.each([
    ['os=android, site=berlin', { os: 'android', site: 'berlin' }],
    ['sizes=s,m,l', { sizes: 's,m,l' }],
    ['sizes=s,m , os=android,wild', { sizes: 's,m', os: 'android,wild' }],
  ])('is taken apart at commas between labels: %s', async (text, labels) => {
    const { client, submit } = await lab();
    expect((await submit({ name: 'pixel-12', labels: text })).status).toBe(303);
    expect((await client.definitions()).body).toMatchObject([{ labels }]);
  });

  test('asks for the value where there is none, as of a name and its value in two fields', async () => {
    const { submit, names } = await lab();
    const { status, text } = await submit({ name: 'pixel-12', labels: 'os\nandroid' });
    expect(status).toBe(400);
    expect(text).toContain('“os” needs a value');
    expect(await names()).toEqual([]);
  });
});

describe('a parent', () => {
  test('is called by its path, or by its name alone', async () => {
    const { client, submit } = await lab();
    await client.register({ name: 'lab', group: true }, { name: 'phones', group: true, treePath: 'lab' });
    for (const [name, treePath] of [
      ['pixel-11', 'lab > phones'],
      ['pixel-12', 'phones'],
    ] as const)
      expect((await submit({ name, treePath })).status).toBe(303);
    expect((await client.definitions()).body.slice(2)).toMatchObject([
      { name: 'pixel-11', treePath: 'lab>phones' },
      { name: 'pixel-12', treePath: 'lab>phones' },
    ]);
  });

  test('can be chosen from a list, as labels and blockers can', async () => {
    const { client, see } = await lab();
    await client.register(
      { name: 'lab', group: true },
      { name: 'phones', group: true, treePath: 'lab' },
      ...['a', 'b'].map((name) => ({ name, labels: { os: 'ios' } })),
    );
    const { text } = await see('/register');
    for (const option of ['lab &gt; phones', 'os=ios', 'a'])
      expect(text).toContain(`<option value="${option}"></option>`);
  });
});

describe('a change', () => {
  test('has a form of its own with what is registered, leads back, and does not lose labels or blockers', async () => {
    const { client, submit, see } = await lab();
    const labels = { os: 'ios', site: 'oslo', room: '1' };
    await client.register({ name: 'ink' }, { name: 'rig', capacity: 2, blocks: ['ink'], labels });
    const { text } = await see('/register?name=rig&back=/dashboard/resources/one?name=rig');
    for (const value of ['rig', '2', 'ink', 'os=ios', 'site=oslo', 'room=1', '/dashboard/resources/one?name=rig'])
      expect(text).toContain(`value="${value}"`);
    expect(text).toMatch(/id="registration-send"[^>]*>Save</);
    const change = { name: 'rig', change: 'true', capacity: '3', back: '/dashboard/resources/one?name=rig' };
    expect((await submit(change)).to).toBe('/dashboard/resources/one?name=rig&done=resized&count=3&was=2&what=rig');
    expect((await submit(change)).to).toBe('/dashboard/resources/one?name=rig&done=changed&what=rig');
  });
});

test('a resource can be made bookable, which stands in the form of a change, and is taken back there', async () => {
  const { client, submit, see } = await lab();
  expect((await submit({ name: 'rig', bookable: 'true' })).status).toBe(303);
  expect((await client.definitions()).body).toMatchObject([{ name: 'rig', bookable: true }]);
  expect((await see('/register?name=rig')).text).toMatch(/name="bookable" value="true" checked=""/);
  await client.register({ name: 'below', treePath: 'other' });
  const refused = await submit({ name: 'other', change: 'true', bookable: 'true' });
  expect(refused.text).toMatch(/name="bookable"[^>]*aria-invalid="true"/);
  expect((await submit({ name: 'rig', change: 'true' })).status).toBe(303);
  expect((await client.definitions()).body.find(({ name }) => name === 'rig')).not.toHaveProperty('bookable');
});

describe('what is to be cleaned after use, and attributes', () => {
  const attributes = { serial: 'A1', adb: '10.0.0.7:5555' };

  test('are registered as they are typed, stand in the form of a change, and are removed there', async () => {
    const { client, submit, see } = await lab();
    const typed = { name: 'rig', dirty: 'true', attributes: 'serial=A1\r\n\r\n adb = 10.0.0.7:5555 ' };
    expect((await submit(typed)).status).toBe(303);
    expect((await client.definitions()).body).toMatchObject([{ afterUse: 'dirty', attributes }]);
    for (const path of ['/register?name=rig', '/one?name=rig&tab=definition']) {
      const { text } = await see(path);
      expect(text).toMatch(/name="dirty" value="true" checked=""/);
      expect(text).toMatch(/>adb=10\.0\.0\.7:5555\nserial=A1<\/textarea>/);
    }
    await submit({ name: 'rig', change: 'true', attributes: '' });
    const [changed] = (await client.definitions()).body;
    expect([changed?.afterUse, changed?.attributes]).toEqual([undefined, undefined]);
  });

  test('stay as they are if a line cannot have them', async () => {
    const { client, submit, see } = await lab();
    await client.register({ name: 'rig', attributes: { ...attributes, banner: 'two\nlines' } });
    expect((await see('/register?name=rig')).text).not.toContain('<textarea');
    await submit({ name: 'rig', change: 'true', capacity: '2' });
    expect((await client.definitions()).body).toMatchObject([{ capacity: 2, attributes: { banner: 'two\nlines' } }]);
  });

  test('have their faults at their field', async () => {
    const { submit } = await lab();
    const { status, text } = await submit({ name: 'rig', attributes: '1st=A' });
    expect([status, text]).toEqual([400, expect.stringMatching(/id="fault-attributes"/)]);
  });
});

describe('an ancestor that is not registered', () => {
  const typed = { name: 'pixel-11', treePath: 'lab>phone' };

  test('is asked about, and nothing is registered before', async () => {
    const { client, submit, names } = await lab();
    await client.register({ name: 'lab', group: true }, { name: 'phones', group: true, treePath: 'lab' });
    const { status, text } = await submit(typed);
    expect(status).toBe(409);
    expect(alertOf(text)).toContain('Not registered yet: “phone”. Correct the path, or say what to register.');
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
