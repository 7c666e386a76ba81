/**
 * The page of a resource in a browser: who has it, who is next, who had it
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
const FIGURES = ['in use', 'mean wait', 'refused'];

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

const text = async (name: string) => (await part(name).allInnerTexts()).join(' ').replace(/\s+/g, ' ');

describe('the state of a resource', () => {
  test('is who has it, until when and since when, and who is next and when; and it follows changes', async () => {
    const { client } = await commonTenant();
    await client.register({ name: 'desk' });
    await go('/resources/one?name=desk');
    await part('now').getByText('Nobody has it').waitFor();
    const [held] = (await client.reserve({ resource: 'desk', requester: 'ci-42', ttlSeconds: 3600, note: 'a build' }))
      .body;
    await part('now').getByText('a build').waitFor();
    expect(await text('now')).toMatch(/In use CI ci-42 a build until .*\d\d:\d\d.* in (59 min|1 h), since \d\d:\d\d/);
    await part('now').getByLabel('0 of 60 minutes are over').waitFor();
    await queueUp(client, 'ann@example.com', 'desk');
    await queueUp(client, 'bob', 'desk');
    await part('queue').getByText('2 waiting').waitFor();
    const next =
      /1 AN ann@example.com wants 1 min · waits \d+ s about .*\d\d:\d\d.* 2 BO bob wants 1 min · waits \d+ s about .*\d\d:\d\d/;
    expect(await text('queue')).toMatch(next);
    await client.unreserve({ resource: 'desk', requester: 'ci-42', releaseToken: held?.releaseToken });
    await part('now')
      .getByText(/^granted, take it by/)
      .waitFor();
    expect(await text('now')).toContain('ann@example.com');
    await part('history').getByRole('rowheader', { name: 'ci-42' }).waitFor();
  });

  test('of a pool has its slots, and how many slots each request waits for', async () => {
    const { client } = await commonTenant();
    await client.register({ name: 'phone', capacity: 3, labels: { os: 'android' } });
    await client.reserve(
      { resource: 'phone', requester: 'ann', ttlSeconds: 7200, note: 'nightly' },
      { resource: 'phone_2', requester: 'bob' },
    );
    await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource: 'phone', requester: 'train', count: 2, ttlSeconds: 60, waitSeconds: 600 },
    ]);
    await go('/resources/one?name=phone');
    await part('now').getByText('1 of 3 free').waitFor();
    await part('now').getByText('1 waiting for 2: train').waitFor();
    await part('queue').getByText('no slots are kept for it: smaller requests may pass').waitFor();
    await page.locator('.hero .tag', { hasText: 'os=android' }).waitFor();
    // With the day of the week, if it is another one.
    const time = expect.stringMatching(/^(\w{3} )?\d\d:\d\d/);
    expect((await cells('slots')).map((row) => row.slice(0, 4))).toEqual([
      ['phone_0', 'ANann nightly', time, time],
      ['phone_1', 'Free', '', ''],
      ['phone_2', 'BObob', 'no end', time],
    ]);
    // Nobody needs to wait for a slot while another one is free.
    expect(await part('slots').getByText('Join queue').count()).toBe(0);
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
    await part('now').getByText(full).waitFor();
    expect(await part('timeline').locator('tbody th').allTextContents()).toEqual(['Room', 'House', 'Projector']);
    await part('head').getByText('takes House, Projector along').waitFor();
    await part('timeline').getByRole('link', { name: 'House' }).click();
    await part('now').getByText('Taken along by').waitFor();
    await part('below').locator('[data-name="Hall"]').waitFor();
    expect(await part('below').locator('.node').count()).toBe(2);
  });

  test('is there for names that are not registered, too; the page of an unknown one says so, and offers to register it', async () => {
    const { client } = await commonTenant();
    await client.reserve({ resource: 'plain', requester: 'ann' });
    await go('/resources/one?name=plain');
    await part('now').getByText('no end').waitFor();
    await go('/resources/one?name=nobody');
    await page.getByText('Nothing is known of this name').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Register', exact: true }).click();
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
    await go('/resources/one?name=chair&tab=definition');
    await confirm('Delete chair', 'Delete');
    await page.getByRole('alert').getByText('Chair is held by an active reservation.').waitFor();
    await client.unreserve({ resource: 'chair', requester: 'ann', releaseToken: held?.releaseToken });
    await confirm('Delete chair', 'Delete');
    await page.getByText(/ is deleted\./).waitFor();
  });
});

describe('the timeline', () => {
  test('has a bar for each reservation that was, is, and is expected, of today, 24 h or 7 days', async () => {
    const { client, past } = await commonTenant();
    await client.register({ name: 'watch', capacity: 2 });
    await past(
      { resource: 'watch', slot: 'watch_0', requester: 'old', from: 60, to: 50 },
      { resource: 'watch', slot: 'watch_0', requester: 'ann', from: 10, to: 8 },
      { resource: 'other', requester: 'elsewhere', from: 10, to: 8 },
    );
    await client.reserve({ resource: 'watch', requester: 'now' });
    await go('/resources/one?name=watch');
    const bars = async () => [
      await part('timeline').locator('.bar.past').count(),
      await part('timeline').locator('.bar.held').count(),
    ];
    expect(await bars()).toEqual([0, 1]);
    await part('timeline').getByRole('link', { name: '24 h' }).click();
    await page.waitForURL(/view=day/);
    expect(await bars()).toEqual([1, 1]);
    await part('timeline').getByLabel('Before: ann. Now: now.').waitFor();
    expect(await violations(page)).toEqual([]);
    await part('timeline').getByRole('link', { name: '7 days' }).click();
    await page.waitForURL(/view=week/);
    expect(await bars()).toEqual([2, 1]);
    expect(await part('usage').locator('dt').allTextContents()).toEqual(FIGURES);
    expect(await part('usage').locator('.heat rect').count()).toBe(168);
  });

  test('writes the times of its axis in the zone of the browser', async () => {
    await commonTenant();
    await go('/resources/one?name=x');
    const [ms, text] = await part('timeline')
      .locator('svg text[data-at]')
      .first()
      .evaluate((one) => [Number(one.getAttribute('data-at')), one.textContent]);
    const local = await page.evaluate(
      `new Intl.DateTimeFormat('en-US', { hourCycle: 'h23', hour: '2-digit', minute: '2-digit' }).format(${ms})`,
    );
    expect(text).toBe(local);
  });
});

test('events of this resource, and of no other, appear as they happen', async () => {
  const { client } = await commonTenant();
  await client.register({ name: 'camera', capacity: 2 });
  await go('/resources/one?name=camera&tab=events');
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

test('a page says in three clicks at most who had something last night', async () => {
  const { client, past } = await commonTenant();
  await client.register({ name: 'staging' });
  await past({ resource: 'staging', requester: 'ann', from: 12, to: 4 });
  await go('/resources');
  await page.getByRole('link', { name: 'staging', exact: true }).click();
  await part('history').getByRole('rowheader', { name: 'ann' }).waitFor();
});
