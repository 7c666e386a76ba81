/**
 * Pages show what is out of service or has to be cleaned, and people change it there
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { lab, plain, REQUESTER, rowsOf, useLab } from '../support/lab.ts';

useLab();

/** A lab with one of each. */
async function fill({ client, set }: Awaited<ReturnType<typeof lab>>): Promise<void> {
  await client.register(
    ...['broken', 'soiled', 'busy', 'fine', 'ink'].map((name) => ({ name })),
    { name: 'printer', blocks: ['ink'] },
    { name: 'room', treePath: 'floor' },
    { name: 'rigs', capacity: 6 },
    { name: 'dead', capacity: 2 },
  );
  await client.reserve(
    { resource: 'busy', requester: 'bob', ttlSeconds: 3000 },
    { resource: 'rigs', requester: 'bob', ttlSeconds: 3000 },
  );
  await set('broken', 'out', 'display dark');
  await set('soiled', 'dirty');
  await set('busy', 'out', 'battery');
  await set('ink', 'out', 'empty');
  await set('floor', 'dirty');
  await set('rigs_1', 'out', 'fan');
  await set('rigs_2', 'out', 'fan');
  await set('rigs_3', 'dirty');
  await set('dead', 'out');
}

describe('what is not ready', () => {
  let see: (path: string) => Promise<string>;
  beforeAll(async () => {
    const one = await lab();
    await fill(one);
    ({ see } = one);
  });

  test.each([
    [
      'out of service, with since when, why and by whom',
      'broken',
      /Out of service since .+: display dark · by the key/,
    ],
    ['to be cleaned', 'soiled', /Needs cleaning since/],
    ['held, which its holder keeps', 'busy', /^busy bob until .+ · out of service since .+: battery/],
    ['some slots of a pool', 'rigs', /2 of 6 free 2 of 6 out of service · 1 of 6 needs cleaning/],
    ['a pool as a whole', 'dead', /0 of 2 free 2 of 2 out of service/],
    ['a blocker', 'printer', /Not available ink is out of service/],
    ['an ancestor', 'room', /Not available floor needs cleaning/],
  ])('is said in the row of the Board: %s', async (_, name, text) => {
    expect(rowsOf(await see('')).get(name)).toMatch(text);
  });

  test('is drawn in its timeline, which says the same', async () => {
    const html = await see('');
    expect(html).toContain('aria-label="Now: out of service · display dark."');
    expect(html).toContain('class="bar out');
    expect(html).not.toMatch(/\sstyle=/);
  });

  test('is found by its filter and counted; what is out of service needs a look; neither is free', async () => {
    const names = async (search: string) => [...rowsOf(await see(search)).keys()];
    expect(await names('?notready=1')).toEqual(['floor', 'broken', 'busy', 'dead', 'ink', 'rigs', 'soiled'].sort());
    expect(await names('?look=1')).toEqual(['broken', 'busy', 'dead', 'ink', 'rigs']);
    expect(await names('?free=1')).toEqual(['fine', 'rigs']);
    expect(plain(/<p class="counts".*?<\/p>/s.exec(await see(''))?.[0] ?? '')).toBe(
      '2 free 1 in use 0 waiting 7 not ready 5 need a look',
    );
  });

  test('has its slots in the table, also those that nobody holds', async () => {
    const text = plain(await see('?view=table'));
    expect(text).toMatch(/rigs_1 Out of service since .+?: fan/);
    expect(text).toMatch(/rigs_3 Needs cleaning/);
    expect(text).not.toMatch(/rigs_4 /);
  });

  test('is said on the page of the resource, and of its pool', async () => {
    const one = plain(await see('/resources/one?name=broken'));
    expect(one).toMatch(/Out of service since .+ display dark set by the key/);
    expect(plain(await see('/resources/one?name=busy'))).toMatch(
      /Out of service since .+: battery\. Nobody else gets it until it is back in service\./,
    );
    const pool = plain(await see('/resources/one?name=rigs'));
    expect(pool).toMatch(/2 of 6 free 2 of 6 out of service · 1 of 6 needs cleaning/);
    expect(pool).toMatch(/rigs_1 Out of service since .+?: fan/);
  });

  test('is a share of the time on Insight and on the page of the resource, and not among what is not used', async () => {
    const insight = await see('/insight');
    const [, card = ''] = /<section class="card" aria-labelledby="out-title">(.*?)<\/section>/s.exec(insight) ?? [];
    // Of an hour that has just begun it is more.
    expect(plain(card)).toMatch(/broken (less than 1|\d+) %/);
    const [, unused = ''] = /aria-labelledby="unused-title">(.*?)<\/section>/s.exec(insight) ?? [];
    expect(plain(unused)).toBe('Not used in the last 7 days 4 fine printer room soiled');
  });

  test('is said by the palette and on Resources', async () => {
    expect(plain(await see('/find?q=broken'))).toContain('broken out of service · display dark');
    expect(plain(await see('/find?q=printer'))).toContain('not available: ink is out of service');
    const resources = plain(await see('/resources'));
    expect(resources).toMatch(/broken 1 Out of service/);
    expect(resources).toMatch(/soiled 1 Needs cleaning/);
    expect(resources).toMatch(/rigs 6 2 of 6 free 2 of 6 out of service · 1 of 6 needs cleaning/);
  });
});

describe('the actions about a condition', () => {
  test('are offered to those who may define', async () => {
    const one = await lab();
    await fill(one);
    const rows = rowsOf(await one.see(''));
    expect(rows.get('broken')).toMatch(/Back in service broken More for broken Join queue broken Repair it … broken$/);
    expect(rows.get('fine')).toMatch(/Reserve fine More for fine Out of service … fine$/);
    expect(rows.get('soiled')).toMatch(
      /Join queue soiled More for soiled Clean it … soiled Mark as clean soiled Out of service …/,
    );
    expect(rows.get('rigs')).toMatch(
      /Clean it … rigs Repair it … rigs Back in service rigs Mark as clean rigs Out of service … rigs$/,
    );
    expect(rows.get('floor')).toContain('Mark as clean');
  });

  test('are not offered to members, and refused', async () => {
    const { client, set, see, send, notReady } = await lab('member');
    await client.register({ name: 'phone' });
    await set('phone', 'out');
    expect(await see('')).not.toMatch(/Back in service|Out of service …/);
    expect((await send('/condition/out?resource=phone')).status).toBe(403);
    expect((await send('/condition/back', { resource: 'phone', from: 'out' })).status).toBe(403);
    expect((await send('/condition/undo', { resource: 'phone' })).status).toBe(403);
    expect(await notReady('phone')).toEqual([['phone', 'out']]);
  });

  test('take out of service with a reason, which is asked for, and back; each is undone', async () => {
    const { client, send, see, notReady } = await lab();
    await client.register({ name: 'phone' });
    const form = { resource: 'phone', back: '/dashboard?view=grid' };
    expect(await see('/condition/out?resource=phone')).toContain('Take phone out of service');
    const refused = await send('/condition/out', { ...form, reason: ' ' });
    expect([refused.status, plain(refused.text)]).toEqual([400, expect.stringContaining('Say what is wrong')]);
    expect(await notReady('phone')).toEqual([['phone', 'ready']]);
    const out = await send('/condition/out', { ...form, reason: 'display dark' });
    expect(out.to).toBe('/dashboard?view=grid&done=out&what=phone');
    expect(await notReady('phone')).toEqual([['phone', 'out']]);
    const page = await send(out.to?.replace('/dashboard', '') ?? '');
    expect(page.text).toContain('action="/dashboard/condition/undo"');
  });

  test.each([
    ['ready', 'out'],
    ['dirty', 'out'],
    ['out', 'ready'],
    ['dirty', 'ready'],
  ] as const)('are taken back within a minute: %s, then %s', async (was, next) => {
    const { client, set, send, notReady } = await lab();
    await client.register({ name: 'phone' });
    if (was !== 'ready') await set('phone', was, 'a reason');
    const path = next === 'out' ? '/condition/out' : '/condition/back';
    await send(path, { resource: 'phone', reason: 'display dark', from: was });
    expect(await notReady('phone')).toEqual([['phone', next]]);
    expect((await send('/condition/undo', { resource: 'another' })).status).toBe(409);
    expect((await send('/condition/undo', { resource: 'phone' })).to).toContain('done=asBefore');
    expect(await notReady('phone')).toEqual([['phone', was]]);
    expect((await send('/condition/undo', { resource: 'phone' })).status).toBe(409);
  });

  test('bring back only those slots of a pool that are out, and ask which one to take out', async () => {
    const { client, set, send, see, notReady } = await lab();
    await client.register({ name: 'rigs', capacity: 3 });
    await set('rigs_0', 'out', 'fan');
    await set('rigs_1', 'dirty');
    expect(await see('/condition/out?resource=rigs')).toMatch(/<option value="rigs_2">/);
    expect((await send('/condition/out', { resource: 'rigs', slot: '', reason: 'fan' })).status).toBe(400);
    await send('/condition/out', { resource: 'rigs', slot: 'rigs_2', reason: 'fan' });
    const slots = ['rigs_0', 'rigs_1', 'rigs_2'];
    expect((await notReady(...slots)).map(([, condition]) => condition)).toEqual(['out', 'dirty', 'out']);
    await send('/condition/back', { resource: 'rigs', from: 'out' });
    expect((await notReady(...slots)).map(([, condition]) => condition)).toEqual(['ready', 'dirty', 'ready']);
    expect((await send('/condition/back', { resource: 'rigs', from: 'out' })).status).toBe(409);
  });

  test('say why a name has no condition', async () => {
    const { client, send } = await lab();
    await client.register({ name: 'shelf', group: true });
    expect(plain((await send('/condition/out?resource=nowhere')).text)).toContain('is not registered');
    expect(plain((await send('/condition/out?resource=shelf')).text)).toContain('is a group');
  });
});

describe('Release as broken', () => {
  test('releases and takes out of service in one step, of what a member has', async () => {
    const { client, send, see, notReady } = await lab('member');
    await client.register({ name: 'phone' });
    await client.reserve({ resource: 'phone', requester: REQUESTER, ttlSeconds: 600 });
    expect(rowsOf(await see('')).get('phone')).toContain('Release as broken … phone');
    const form = { resource: 'phone', requester: REQUESTER };
    expect((await send('/condition/broken', form)).status).toBe(400);
    const released = await send('/condition/broken', { ...form, reason: 'display dark' });
    expect(released.to).toBe('/dashboard?done=broken&what=phone');
    expect((await client.active()).body).toEqual([]);
    expect(await notReady('phone')).toEqual([['phone', 'out']]);
  });

  test('asks which of several slots are broken', async () => {
    const { client, send, see, notReady } = await lab();
    await client.register({ name: 'rigs', capacity: 3 });
    await client.reserve({ resource: 'rigs', requester: REQUESTER, count: 2, ttlSeconds: 600 });
    const form = { resource: 'rigs', requester: REQUESTER, several: 'true', reason: 'fan' };
    expect(await see(`/condition/broken?${new URLSearchParams(form)}`)).toMatch(/value="rigs_1"/);
    expect((await send('/condition/broken', form)).status).toBe(400);
    expect((await send('/condition/broken', { ...form, slots: 'rigs_1' })).status).toBe(303);
    expect(await notReady('rigs_0', 'rigs_1')).toEqual([
      ['rigs_0', 'ready'],
      ['rigs_1', 'out'],
    ]);
  });

  test('is refused if somebody else has it by now', async () => {
    const { client, send } = await lab();
    await client.register({ name: 'phone' });
    await client.reserve({ resource: 'phone', requester: 'bob' });
    const form = { resource: 'phone', requester: REQUESTER, reason: 'display dark' };
    expect((await send('/condition/broken', form)).status).toBe(409);
  });
});
