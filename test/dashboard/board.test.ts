/**
 * The Board as a response: each state of a row, each filter, and its pages
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { type Client, createClient } from '../support/client.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

const keys = ['lab', 'rows', 'empty', 'many', 'plain'].map((label) => makeConfiguredKey(makeTenant(), label));
let holdfast: Instance;
beforeAll(async () => {
  holdfast = await startInstance({ keys });
});
afterAll(() => holdfast.stop());

/** A tenant of its own, and a person in it who looks at the Board. */
async function lab(label: string, role: 'owner' | 'viewer' = 'owner') {
  const key = keys.find((one) => one.label === label);
  if (key === undefined) throw new Error(`no tenant ${label}`);
  const { cookie } = await signIn(holdfast.redis, key.tenant, { role, email: 'ann@id.example' });
  const see = async (search: string) => {
    const { status, text } = await ask(`${holdfast.url}/dashboard${search}`, { headers: { Cookie: cookie } });
    expect(status).toBe(200);
    return text;
  };
  return { client: createClient(holdfast.url, key.key), see };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/&\S+?;/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();

/** Name → text, of each row in order. */
const rowsOf = (html: string) =>
  new Map(
    [...html.matchAll(/<tr data-name="([^"]*)"[^>]*>(.*?)<\/tr>/gs)].map(([, name = '', row = '']) => [
      name,
      plain(row),
    ]),
  );
const namesOf = (html: string) => [...rowsOf(html).keys()];
const linkOf = (html: string, text: string) =>
  new RegExp(`href="([^"]*)"[^>]*>${text} ?<`).exec(html)?.[1]?.replaceAll('&amp;', '&').replace('/dashboard', '');

const queueUp = (client: Client, requester: string, resource: string) =>
  client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
    { resource, requester, ttlSeconds: 60, waitSeconds: 600 },
  ]);

describe('a row of the Board', () => {
  beforeAll(async () => {
    const { client } = await lab('rows');
    await client.register(
      { name: 'phones', capacity: 5, labels: { os: 'android' } },
      { name: 'lab', group: true },
      { name: 'building', treePath: 'lab', groups: true },
      { name: 'room-1', treePath: 'lab>building', blocks: ['projector'] },
      { name: 'room-2', treePath: 'lab>building' },
      { name: 'staging' },
      { name: 'spare' },
    );
    await client.reserve(
      { resource: 'staging', requester: 'ci-42', note: 'release 4', ttlSeconds: 3000 },
      { resource: 'room-1', requester: 'bob' },
      { resource: 'phones', requester: 'bob', count: 2, ttlSeconds: 600, note: 'two at once' },
      { resource: 'docs', requester: 'bob', mode: 'SHARED' },
      { resource: 'docs', requester: 'cat', mode: 'SHARED' },
      { resource: 'cell', requester: 'dan' },
    );
    await queueUp(client, 'eve', 'staging');
    await queueUp(client, 'person:ann@id.example', 'staging');
  });

  const row = async (name: string) => rowsOf(await (await lab('rows')).see('')).get(name);

  test.each([
    ['free', 'spare', /^spare ○ free/],
    [
      'held, with its holder, note, since when, until when, and who is next',
      'staging',
      /● held ci-42 .*release 4 since \d+ s free in \d+ min/,
    ],
    ['held without an end', 'room-1', /● held bob .*no end/],
    ['of a pool, with its free slots and holders', 'phones', /◐ 3 of 5 free bob/],
    ['of a group', 'lab', /▸ group/],
    ['shut by an ancestor', 'room-2', /◇ not available: building is in use/],
    ['of an ancestor that a leaf takes along', 'building', /● held bob/],
    ['of a blocker that is not registered', 'projector', /● held room-1 \(takes it along\)/],
    ['held SHARED', 'docs', /● held SHARED by bob, cat/],
    ['of a name that is not registered', 'cell', /● held dan/],
  ])('shows one %s', async (_, name, text) => {
    expect(await row(name)).toMatch(text);
  });

  test('says who is next, how many wait, and the place of the person', async () => {
    expect(await row('staging')).toMatch(/2 waiting you are 2nd next: eve/);
  });

  test('opens a pool to its slots, each with its holder', async () => {
    const text = await row('phones');
    expect(text).toMatch(/phones_0 bob, since \d+ s , free in \d+ min two at once/);
    expect(text).toMatch(/○ phones_4 free/);
  });

  test('comes after its parent, and names that are not registered have a section of their own', async () => {
    const html = await (await lab('rows')).see('');
    expect(namesOf(html)).toEqual([
      ...['lab', 'building', 'room-1', 'room-2', 'phones', 'spare', 'staging'],
      ...['cell', 'docs', 'projector'],
    ]);
    expect(plain(html)).toContain('Not registered');
  });
});

describe('the filters of the Board, all in its address', () => {
  beforeAll(async () => {
    const { client } = await lab('lab');
    await client.register(
      ...Array.from({ length: 80 }, (_, i) => ({
        name: `phone-${String(i).padStart(2, '0')}`,
        labels: { os: i % 2 ? 'ios' : 'android', serial: `${i}` },
      })),
      { name: 'rack', capacity: 1 },
      { name: 'shelf', treePath: 'rack' },
      { name: 'tray', treePath: 'rack' },
      { name: 'pool', capacity: 20 },
    );
    const held = Array.from({ length: 76 }, (_, i) => ({
      resource: `phone-${String(i).padStart(2, '0')}`,
      requester: 'ci',
      ttlSeconds: 7200,
    }));
    await client.reserve(
      ...held,
      { resource: 'phone-76', requester: 'person:ann@id.example', ttlSeconds: 300 },
      { resource: 'phone-77', requester: 'ann@id.example', ttlSeconds: 7200 },
      { resource: 'shelf', requester: 'ci', ttlSeconds: 500 },
      ...Array.from({ length: 11 }, (_, i) => ({ resource: 'pool', requester: `ci-${i}` })),
      { resource: 'pool', requester: 'ann@id.example' },
      { resource: 'toaster', requester: 'ann@id.example' },
    );
    await queueUp(client, 'person:ann@id.example', 'phone-03');
  });

  test.each([
    [
      'a part of a name',
      '?q=PHONE-7',
      ['70', '71', '72', '73', '74', '75', '76', '77', '78', '79'].map((i) => `phone-${i}`),
    ],
    ['a part of a label', '?q=serial%3D79', ['phone-79']],
    ['a name that is not registered', '?q=toast', ['toaster']],
    ['free only, without what an ancestor shuts', '?free=1', ['phone-78', 'phone-79', 'pool']],
    ['a label, and free only', '?label=os%3Dios&free=1', ['phone-79']],
    ['two labels of different keys', '?label=os%3Dios&label=serial%3D5', ['phone-05']],
    ['either of two values of a key', '?label=serial%3D5&label=serial%3D79', ['phone-05', 'phone-79']],
    ['mine: what the person has or waits for', '?mine=1', ['phone-03', 'phone-76', 'phone-77', 'pool', 'toaster']],
    ['expiring soon', '?expiring=1', ['phone-76', 'shelf']],
    ['mine and expiring soon', '?expiring=1&mine=1', ['phone-76']],
    ['mine with a label', '?mine=1&label=os%3Dios', ['phone-03', 'phone-77']],
    ['not registered', '?unregistered=1', ['toaster']],
    ['nothing that fits', '?q=nothing', []],
  ])('show only %s', async (_, search, names) => {
    const { see } = await lab('lab');
    expect(namesOf(await see(search))).toEqual(names);
  });

  test('are chips: labels that several may have, each of which is turned on and off', async () => {
    const { see } = await lab('lab');
    const html = await see('?q=phone');
    expect(linkOf(html, 'serial=1')).toBeUndefined();
    const on = linkOf(html, 'os=ios') ?? '';
    expect(on).toBe('?q=phone&label=os%3Dios');
    const filtered = await see(on);
    expect(filtered).toMatch(/aria-current="true">os=ios/);
    expect(linkOf(filtered, 'os=ios')).toBe('?q=phone');
  });

  test('show the own slot of a large pool', async () => {
    const { see } = await lab('lab');
    expect(rowsOf(await see('?mine=1')).get('pool')).toContain('pool_11 ann@id.example');
  });

  test('say that nothing fits, and how to see everything', async () => {
    const text = plain(await (await lab('lab')).see('?q=nothing'));
    expect(text).toContain('Nothing fits. Show everything');
  });
});

describe('the pages of the Board', () => {
  test('go on in the order of the tree, through names that are not registered, and back', async () => {
    const { client, see } = await lab('many');
    await client.register(
      ...Array.from({ length: 70 }, (_, i) => ({ name: `n${100 + i}`, treePath: i % 3 ? 'root' : 'root>deep' })),
    );
    await client.reserve(...Array.from({ length: 40 }, (_, i) => ({ resource: `u${100 + i}`, requester: 'r' })));
    const pages: string[][] = [];
    const addresses = [''];
    for (let at: string | undefined = ''; at !== undefined; ) {
      const html = await see(at);
      pages.push(namesOf(html));
      at = linkOf(html, 'Next');
      if (at !== undefined) addresses.push(at);
    }
    expect(pages.map((names) => names.length)).toEqual([30, 30, 30, 22]);
    const all = pages.flat();
    expect(new Set(all).size).toBe(112);
    expect(all.slice(0, 3)).toEqual(['root', 'deep', 'n100']);
    expect(all.slice(-40)).toEqual(Array.from({ length: 40 }, (_, i) => `u${100 + i}`));
    for (const [i, at] of [...addresses.entries()].slice(1))
      expect(namesOf(await see(linkOf(await see(at), 'Previous') ?? ''))).toEqual(pages[i - 1]);
    expect(plain(await see(addresses[1] ?? ''))).toContain('root › n107');
  });

  test('list 75 names that are held by a lab without definitions, sorted', async () => {
    const { client, see } = await lab('plain');
    const names = Array.from({ length: 75 }, (_, i) => `bench-${100 + i}`);
    await client.reserve(...names.map((resource) => ({ resource, requester: 'r' })));
    const first = await see('');
    const second = await see(linkOf(first, 'Next') ?? '');
    const third = await see(linkOf(second, 'Next') ?? '');
    expect([first, second, third].flatMap(namesOf)).toEqual(names);
    expect(linkOf(third, 'Next')).toBeUndefined();
  });
});

describe('an empty Board', () => {
  test('says what to do next', async () => {
    const text = await (await lab('empty')).see('');
    expect(text).toContain('href="/dashboard/overview"');
    expect(plain(text)).toContain('Register the first resource');
  });

  test('offers no form to those who may not register', async () => {
    expect(plain(await (await lab('empty', 'viewer')).see(''))).not.toContain('Register the first resource');
  });
});
