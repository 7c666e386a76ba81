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
/** The heads of groups, in order. */
const headsOf = (html: string) =>
  [...html.matchAll(/<tr class="group">(.*?)<\/tr>/gs)].map(([, head = '']) =>
    plain(head).replace(/^Rows of (.+) \1 /, '$1 '),
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
      { name: 'stage', blocks: ['projector'] },
      { name: 'staging' },
      { name: 'spare' },
      { name: 'mine' },
      { name: 'rigs', capacity: 2 },
    );
    await client.reserve(
      { resource: 'staging', requester: 'ci-42', note: 'release 4', ttlSeconds: 3000 },
      { resource: 'room-1', requester: 'bob' },
      { resource: 'phones', requester: 'bob', count: 2, ttlSeconds: 600, note: 'two at once' },
      { resource: 'docs', requester: 'bob', mode: 'SHARED' },
      { resource: 'docs', requester: 'cat', mode: 'SHARED' },
      { resource: 'cell', requester: 'dan' },
      { resource: 'mine', requester: 'ann@id.example', ttlSeconds: 600 },
      { resource: 'rigs', requester: 'bob', ttlSeconds: 600 },
      { resource: 'rigs', requester: 'cat', ttlSeconds: 900 },
    );
    await queueUp(client, 'eve', 'staging');
    await queueUp(client, 'eve', 'rigs');
    await queueUp(client, 'person:ann@id.example', 'staging');
  });

  const row = async (name: string) => rowsOf(await (await lab('rows')).see('')).get(name);

  test.each([
    ['free', 'spare', /^spare Free/],
    [
      'held, with its holder, until when, how many wait, and why',
      'staging',
      /ci-42 you are 2nd, about .* · until .* · release 4/,
    ],
    ['held without an end', 'room-1', /room-1 bob no end/],
    ['of a pool, with its free slots', 'phones', /^phones android 3 of 5 free/],
    ['of a pool without free slots, with its holders', 'rigs', /0 of 2 free 1 waiting · free at .* · held by bob, cat/],
    ['shut by an ancestor', 'room-2', /Not available building is in use/],
    ['shut by a blocker, and what takes that along', 'stage', /Not available projector goes with room-1/],
    ['of an ancestor that a leaf takes along', 'building', /building bob/],
    ['of a blocker that is not registered', 'projector', /projector With room-1/],
    ['held SHARED', 'docs', /docs Shared by 2 bob, cat/],
    ['of a name that is not registered', 'cell', /cell dan no end/],
    ['of the person', 'mine', /mine You until/],
  ])('shows one %s', async (_, name, text) => {
    expect(await row(name)).toMatch(text);
  });

  test('offers what can be done: one action, and others in a menu', async () => {
    const all = rowsOf(await (await lab('rows')).see(''));
    const actionsIn = (name: string) => /(Reserve|Join queue|Extend|Leave the queue).*$/.exec(all.get(name) ?? '')?.[0];
    expect(actionsIn('spare')).toBe('Reserve spare More for spare Out of service … spare');
    expect(actionsIn('room-1')).toBe(
      'Join queue room-1 More for room-1 Take away room-1 from bob Out of service … room-1',
    );
    expect(actionsIn('room-2')).toBe('Join queue room-2 More for room-2 Out of service … room-2');
    expect(actionsIn('mine')).toBe(
      'Extend mine More for mine Release mine Release as broken … mine Out of service … mine',
    );
    expect(actionsIn('cell')).toBe('Join queue cell More for cell Take away cell from dan');
    expect(actionsIn('staging')).toMatch(/^Leave the queue for staging More for staging Take away/);
  });

  test('has a timeline that says the same, without a style attribute', async () => {
    const html = await (await lab('rows')).see('');
    expect(html).toContain('aria-label="Now: ci-42. Then: eve, You."');
    expect(html).not.toMatch(/\sstyle=/);
  });

  test('stands in its group, those of no group after them, and names that are not registered last', async () => {
    const html = await (await lab('rows')).see('');
    expect(namesOf(html)).toEqual([
      ...['building', 'room-1', 'room-2'],
      ...['mine', 'phones', 'rigs', 'spare', 'stage', 'staging'],
      ...['cell', 'docs', 'projector'],
    ]);
    expect(headsOf(html)).toEqual(['lab 0 of 3 free', 'Without a group 2 of 6 free', 'Not registered 3']);
  });

  test('is left out when its group is folded, which the address keeps', async () => {
    const { see } = await lab('rows');
    const html = await see('?fold=lab');
    expect(namesOf(html)).not.toContain('room-1');
    expect(namesOf(html)).toContain('spare');
    expect(headsOf(html)).toContain('lab 0 of 3 free');
  });
});

describe('the counts of the Board', () => {
  test('say how many are free, in use, and waited for', async () => {
    const html = await (await lab('rows')).see('');
    expect(plain(/<p class="counts".*?<\/p>/s.exec(html)?.[0] ?? '')).toBe('2 free 8 in use 3 waiting');
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
      note: `build ${i} of main`,
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
    ['a holder', '?q=ci-1', ['pool']],
    ['a note', '?q=build+7+of', ['phone-07']],
    ['free only, without what an ancestor shuts', '?free=1', ['phone-78', 'phone-79', 'pool']],
    ['what is waited for', '?waiting=1', ['phone-03']],
    ['in use with a label', '?used=1&label=serial%3D5&label=serial%3D79', ['phone-05']],
    ['a label, and free only', '?label=os%3Dios&free=1', ['phone-79']],
    ['two labels of different keys', '?label=os%3Dios&label=serial%3D5', ['phone-05']],
    ['either of two values of a key', '?label=serial%3D5&label=serial%3D79', ['phone-05', 'phone-79']],
    ['mine: what the person has or waits for', '?mine=1', ['phone-03', 'phone-76', 'phone-77', 'pool', 'toaster']],
    ['expiring soon', '?expiring=1', ['phone-76', 'shelf']],
    ['mine and expiring soon', '?expiring=1&mine=1', ['phone-76']],
    ['mine with a label', '?mine=1&label=os%3Dios', ['phone-03', 'phone-77']],
    ['held without an end', '?noend=1', ['pool', 'toaster']],
    ['not registered', '?unregistered=1', ['toaster']],
    ['nothing that fits', '?q=nothing', []],
  ])('show only %s', async (_, search, names) => {
    const { see } = await lab('lab');
    expect(namesOf(await see(search))).toEqual(names);
  });

  test('are menus of label keys that several have: their values are turned on and off, and they stay open', async () => {
    const { see } = await lab('lab');
    const html = await see('?q=phone');
    expect(html).not.toContain('serial%3D1');
    expect(linkOf(html, 'ios')).toBe('?q=phone&label=os%3Dios&turned=os%3Dios');
    const filtered = await see('?q=phone&label=os%3Dios&turned=os%3Dios');
    expect(filtered).toMatch(/<details[^>]* open="[^>]*><summary>OS: ios/);
    expect(linkOf(filtered, 'ios')).toBe('?q=phone&turned=os%3Dios');
    expect(linkOf(filtered, 'Done')).toBe('?q=phone&label=os%3Dios');
    expect(linkOf(filtered, 'android')).toBe('?q=phone&label=os%3Dios&label=os%3Dandroid&turned=os%3Dandroid');
  });

  test('show the own slot of a large pool', async () => {
    const { see } = await lab('lab');
    expect(rowsOf(await see('?mine=1')).get('pool')).toContain('you have pool_11');
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
    expect(pages.map((names) => names.length)).toEqual([40, 40, 32]);
    const all = pages.flat();
    expect(new Set(all).size).toBe(112);
    expect(all.slice(0, 3)).toEqual(['root', 'deep', 'n100']);
    expect(all.slice(-40)).toEqual(Array.from({ length: 40 }, (_, i) => `u${100 + i}`));
    for (const [i, at] of [...addresses.entries()].slice(1))
      expect(namesOf(await see(linkOf(await see(at), 'Previous') ?? ''))).toEqual(pages[i - 1]);
    expect(plain(await see('?page=99'))).toContain('Page 3 of 3');
  });

  test('list 75 names that are held by a lab without definitions, sorted', async () => {
    const { client, see } = await lab('plain');
    const names = Array.from({ length: 75 }, (_, i) => `bench-${100 + i}`);
    await client.reserve(...names.map((resource) => ({ resource, requester: 'r' })));
    const first = await see('');
    const second = await see(linkOf(first, 'Next') ?? '');
    expect([first, second].flatMap(namesOf)).toEqual(names);
    expect(linkOf(second, 'Next')).toBeUndefined();
  });
});

describe('an empty Board', () => {
  test('says what to do next', async () => {
    const text = await (await lab('empty')).see('');
    expect(text).toContain('href="/dashboard/overview"');
    expect(plain(text)).toContain('Three things to try');
    for (const example of ['phone', 'environment', 'pool']) expect(text).toContain(`value="${example}"`);
    expect(text).toContain('action="/dashboard/demo"');
  });

  test('offers no form to those who may not register', async () => {
    const text = await (await lab('empty', 'viewer')).see('');
    expect(plain(text)).toContain('Three things to try');
    expect(text).not.toContain('action="/dashboard/demo');
  });
});
