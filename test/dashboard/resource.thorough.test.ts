/**
 * The page of a resource and the history in a browser: who has it, who is next, who had it
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import { violations } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { addPast, type Past } from '../support/pastEntries.ts';
import { confirm, context, go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const HOUR = 3_600_000;
const FIGURES = ['In use', 'Reservations', 'Held for', 'Waited', 'Refused'];

type Cookies = Awaited<ReturnType<typeof context.cookies>>;

interface Tenant {
  readonly client: Client;
  /** Writes reservations into the history that ended so many hours ago. */
  readonly past: (...entries: (Partial<Past> & { resource: string; from: number; to: number })[]) => Promise<void>;
}

async function newTenant(): Promise<Tenant> {
  await signIn();
  const key = await readKey();
  const tenant = /^hf_(.+)_/.exec(key)?.[1] ?? '';
  const now = Date.now();
  return {
    client: createClient(service.other.url, key),
    past: (...entries) =>
      addPast(
        service.one.redis,
        tenant,
        entries.map(({ from, to, ...more }) => ({ reservedAt: now - from * HOUR, endedAt: now - to * HOUR, ...more })),
      ),
  };
}

let common: { readonly tenant: Tenant; readonly cookies: Cookies } | undefined;

/** Signs in to a tenant that the tests of this file share: each has resources of its own. */
async function commonTenant(): Promise<Tenant> {
  if (common === undefined) common = { tenant: await newTenant(), cookies: await context.cookies() };
  else await context.addCookies(common.cookies);
  return common.tenant;
}

const part = (name: string) => page.locator(`[data-live="${name}"]`);
const cells = (name: string) =>
  part(name)
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('th, td')].map((one) => one.textContent)));
const queueUp = (client: Client, requester: string, resource: string) =>
  client.request<ReserveResult[]>('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
    { resource, requester, ttlSeconds: 60, waitSeconds: 600, claimSeconds: 600 },
  ]);

describe('the state of a resource', () => {
  test('is one sentence: holder, since when, until when, how many wait and who is next; and it follows changes', async () => {
    const { client } = await commonTenant();
    await client.register({ name: 'desk' });
    await go('/resources/one?name=desk');
    await part('state').getByText('Free.', { exact: true }).waitFor();
    const [held] = (await client.reserve({ resource: 'desk', requester: 'ci-42', ttlSeconds: 3600, note: 'a build' }))
      .body;
    await part('state')
      .getByText(/^Held by ci-42 since \d+ s, free in 59 min\.$/)
      .waitFor();
    await part('state').getByText('a build').waitFor();
    await queueUp(client, 'ann@example.com', 'desk');
    await queueUp(client, 'bob', 'desk');
    await part('state')
      .getByText(/; 2 waiting, next: ann@example\.com\.$/)
      .waitFor();
    await client.unreserve({ resource: 'desk', requester: 'ci-42', releaseToken: held?.releaseToken });
    await part('state')
      .getByText(/^Granted to ann@example\.com since .*, to be claimed within .*; 1 waiting, next: bob\.$/)
      .waitFor();
    await part('history').getByRole('rowheader', { name: 'ci-42' }).waitFor();
  });

  test('of a pool has its slots, each with holder, note, since when and until when', async () => {
    const { client } = await commonTenant();
    await client.register({ name: 'phone', capacity: 3, labels: { os: 'android' } });
    await client.reserve(
      { resource: 'phone', requester: 'ann', ttlSeconds: 7200, note: 'nightly' },
      { resource: 'phone_2', requester: 'bob' },
    );
    await go('/resources/one?name=phone');
    await part('state').getByText('1 of 3 free.', { exact: true }).waitFor();
    await page.getByText('Labels: os=android').waitFor();
    const since = expect.stringMatching(/^\d+ s$/);
    expect((await cells('slots')).map((row) => row.slice(0, 4))).toEqual([
      ['phone_0', 'annnightly', since, '1 h 59 min'],
      ['phone_1', 'free', '–', '–'],
      ['phone_2', 'bob', since, 'no end'],
    ]);
  });

  test('says what it takes along and what is in the way, and leads to what is below it', async () => {
    const { client } = await commonTenant();
    await client.register(
      { name: 'Room', capacity: 2, treePath: 'House', blocks: ['Projector'] },
      { name: 'House', capacity: 1 },
      { name: 'Hall', treePath: 'House' },
    );
    await client.reserve({ resource: 'Hall', requester: 'ann' }, { resource: 'Projector', requester: 'bob' });
    await go('/resources/one?name=Room');
    const full = 'Not available to new requesters: House is full. Hall takes it along. Held by ann since';
    await part('state').getByText(full).waitFor();
    expect(await part('plan').locator('li').allTextContents()).toEqual([
      'House above it: held by ann',
      'Projector blocker: held by bob',
    ]);
    await part('plan').getByRole('link', { name: 'House' }).click();
    await part('state').getByText('Held along: ann.', { exact: true }).waitFor();
    await part('below').locator('[data-name="Hall"]').waitFor();
    expect(await part('below').locator('.node').count()).toBe(2);
  });

  test('is there for names that are not registered, too; the page of an unknown one says so, and offers to register it', async () => {
    const { client } = await commonTenant();
    await client.reserve({ resource: 'plain', requester: 'ann' });
    await go('/resources/one?name=plain');
    await part('state')
      .getByText(/^Held by ann since \d+ s, without an end\.$/)
      .waitFor();
    await go('/resources/one?name=nobody');
    await page.getByText('Nothing is known of this name').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByText('Register it').click();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText(/ is registered\./).waitFor();
    expect((await client.definitions()).body).toContainEqual(expect.objectContaining({ name: 'nobody' }));
  });

  test('of a slot is on the page of its pool, of a path on that of its resource', async () => {
    const { client } = await commonTenant();
    await client.register({ name: 'tablet', capacity: 250, treePath: 'lab' });
    await client.reserve({ resource: 'tablet_201', requester: 'ann' });
    await go('/resources/one?name=tablet_201');
    expect(new URL(page.url()).search).toBe('?name=tablet&page=3');
    await page.getByRole('row', { name: /tablet_201 ann/ }).waitFor();
    await page.getByText('Page 3 of 3').waitFor();
    await go(`/resources/one?${new URLSearchParams({ name: 'lab>tablet' })}`);
    expect(new URL(page.url()).search).toBe('?name=tablet');
  });

  test('is deleted from its page, and stays there if it cannot be', async () => {
    const { client } = await commonTenant();
    await client.register({ name: 'chair' });
    const [held] = (await client.reserve({ resource: 'chair', requester: 'ann' })).body;
    await go('/resources/one?name=chair');
    await confirm('Delete chair', 'Delete');
    await page.getByRole('alert').getByText('Chair is held by an active reservation.').waitFor();
    await client.unreserve({ resource: 'chair', requester: 'ann', releaseToken: held?.releaseToken });
    await confirm('Delete chair', 'Delete');
    await page.getByText(/ is deleted\./).waitFor();
  });
});

describe('the timeline', () => {
  test('has a bar for each reservation of the last 24 h, or of 7 days, and the same as a table', async () => {
    const { client, past } = await commonTenant();
    await client.register({ name: 'watch', capacity: 2 });
    await past(
      { resource: 'watch', slot: 'watch_0', requester: 'old', from: 60, to: 50 },
      { resource: 'watch', slot: 'watch_0', requester: 'ann', from: 10, to: 8 },
      { resource: 'other', requester: 'elsewhere', from: 10, to: 8 },
    );
    await client.reserve({ resource: 'watch', requester: 'now' });
    await go('/resources/one?name=watch');
    const titles = () => part('timeline').locator('svg title').allTextContents();
    expect(await titles()).toEqual([
      expect.stringMatching(/^watch_0: ann, .* to .* \(2 h\), released$/),
      expect.stringMatching(/^watch_0: now, .* to now/),
    ]);
    expect(await part('timeline').locator('svg .name').allTextContents()).toEqual(['watch_0', 'watch_1']);
    await part('timeline').getByText('As a table').click();
    expect((await cells('timeline')).map(([who, slot]) => [who, slot])).toEqual([
      ['now', 'watch_0'],
      ['ann', 'watch_0'],
    ]);
    expect(await violations(page)).toEqual([]);
    await part('timeline').getByRole('link', { name: 'Last 7 days' }).click();
    await page.waitForURL(/view=week/);
    expect(await titles()).toHaveLength(3);
    expect(await part('usage').locator('dt').allTextContents()).toEqual(FIGURES);
  });

  test('writes the times of its axis in the zone of the browser', async () => {
    await commonTenant();
    await go('/resources/one?name=x');
    const [ms, text] = await part('timeline')
      .locator('svg text[data-at]')
      .first()
      .evaluate((one) => [Number(one.getAttribute('data-at')), one.textContent]);
    const local = await page.evaluate(
      `new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }).format(${ms})`,
    );
    expect(text).toBe(local);
  });
});

test('events of this resource, and of no other, appear as they happen', async () => {
  const { client } = await commonTenant();
  await client.register({ name: 'camera', capacity: 2 });
  await go('/resources/one?name=camera');
  await page.getByText('connected', { exact: true }).waitFor();
  await client.reserve(
    { resource: 'cameras', requester: 'elsewhere' },
    { resource: 'camera', requester: 'ann' },
    { resource: 'camera_1', requester: 'bob' },
  );
  await page.locator('#events tr', { hasText: 'bob' }).waitFor();
  expect(
    await page.locator('#events tr').evaluateAll((rows) => rows.map((row) => row.children[3]?.textContent)),
  ).toEqual(['bob', 'ann']);
});

describe('the history', () => {
  test('says in three clicks at most who had something last night', async () => {
    const { client, past } = await commonTenant();
    await client.register({ name: 'staging' });
    await past({ resource: 'staging', requester: 'ann', from: 12, to: 4 });
    await go('/resources');
    await page.getByRole('link', { name: 'staging' }).click();
    await part('history').getByRole('rowheader', { name: 'ann' }).waitFor();
  });

  test('of the tenant is found by resource, requester, time and ending, 30 rows a page, the latest first', async () => {
    const { past } = await newTenant();
    await past(
      { resource: 'desk', requester: 'bob', from: 40, to: 39 },
      ...Array.from({ length: 31 }, (_, i) => ({ resource: 'staging', requester: `q${i}`, from: 33 - i, to: 32 - i })),
    );
    const who = () => page.locator('tbody th').allTextContents();
    await go('/activity');
    expect(await who()).toEqual(Array.from({ length: 30 }, (_, i) => `q${30 - i}`));
    await page.getByRole('link', { name: 'Older' }).click();
    await page.waitForURL(/cursor=/);
    expect(await who()).toEqual(['q0', 'bob']);
    await page.getByRole('link', { name: 'Latest' }).click();
    await page.waitForURL((url) => !url.searchParams.has('cursor'));
    await page.getByLabel('Resource', { exact: true }).fill('desk');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/resource=desk/);
    expect(await who()).toEqual(['bob']);
    await page.getByLabel('How it ended').selectOption('taken away');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('Nothing was found.').waitFor();
    await page.getByLabel('How it ended').selectOption('released');
    await page.getByLabel('Resource', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/resource=&/);
    expect((await who()).length).toBe(30);
    await page.getByRole('link', { name: 'Older' }).click();
    await page.waitForURL(/cursor=/);
    expect(await who()).toEqual(['q0', 'bob']);
    const from = new Date(Date.now() - 3.5 * HOUR).toISOString().slice(0, 16);
    await go(`/activity?${new URLSearchParams({ from })}`);
    expect(await who()).toEqual(['q30', 'q29']);
  });
});
