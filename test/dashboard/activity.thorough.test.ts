/**
 * Activity and Mine in a browser: the history with its search, its exports and its report; and what a person has, waits
 * for and had (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { monthBefore } from '../../src/dashboard/words/months.ts';
import { violations } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { addPast, type Past } from '../support/pastEntries.ts';
import { context, go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const HOUR = 3_600_000;

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
        entries.map(({ from, to, ...more }) => ({
          reservedAt: Math.round(now - from * HOUR),
          endedAt: Math.round(now - to * HOUR),
          ...more,
        })),
      ),
  };
}

describe('the history', () => {
  test('of the tenant is found by parts of names, time and ending, 50 rows a page, day by day, and as CSV', async () => {
    const { past } = await newTenant();
    await past(
      { resource: 'desk', requester: 'bob', from: 60, to: 59 },
      { resource: 'iphone-15', requester: 'ci-41', from: 58, to: 57, waitedMs: 90_000 },
      ...Array.from({ length: 51 }, (_, i) => ({ resource: 'staging', requester: `q${i}`, from: 53 - i, to: 52 - i })),
    );
    const who = () => page.locator('.past tbody tr:not(.day) th').allTextContents();
    const show = () => page.getByRole('button', { name: 'Show' }).click();
    await go('/activity');
    expect(await who()).toEqual(Array.from({ length: 50 }, (_, i) => `q${50 - i}`));
    expect((await page.locator('tr.day').allTextContents())[0]).toMatch(/^(Today|Yesterday)/);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Older' }).click();
    await page.waitForURL(/cursor=/);
    expect(await who()).toEqual(['q0', 'ci-41', 'bob']);
    await page.getByRole('link', { name: 'Latest' }).click();
    await page.waitForURL((url) => !url.searchParams.has('cursor'));
    await page.getByLabel('Resource', { exact: true }).fill('IPHONE');
    await show();
    await page.waitForURL(/resource=IPHONE/);
    expect(await who()).toEqual(['ci-41']);
    await page.getByLabel('Resource', { exact: true }).fill('"iphone"');
    await show();
    await page.getByText('Nothing was found.', { exact: false }).waitFor();
    await page.getByLabel('Resource', { exact: true }).fill('');
    await page.getByLabel('Who', { exact: true }).fill('ci-');
    await page.getByLabel('How it ended').selectOption('released');
    await show();
    await page.waitForURL(/ending=RELEASED/);
    expect(await who()).toEqual(['ci-41']);
    const link = await page.getByRole('link', { name: 'All of it as CSV' }).getAttribute('href');
    const csv = await (await context.request.get(new URL(link ?? '', service.one.url).href)).text();
    expect(csv.split('\r\n').map((line) => line.split(',').toSpliced(4, 2))).toEqual([
      ['Resource', 'Slots', 'Who', 'What for', 'Held', 'Waited', 'Ended', 'By', 'Key'],
      ['iphone-15', '', 'ci-41', '', '1:00:00', '0:01:30', 'released', '', ''],
      [''],
    ]);
    const from = new Date(Date.now() - 3.5 * HOUR).toISOString().slice(0, 16);
    await go(`/activity?${new URLSearchParams({ from })}`);
    expect(await who()).toEqual(['q50', 'q49']);
  });

  test('by a time has all that was in use in between, whenever it ended; nights and days are one click', async () => {
    const { client, past } = await newTenant();
    const midnight = (Date.now() - new Date().setUTCHours(0, 0, 0, 0)) / HOUR;
    await past(
      { resource: 'a', requester: 'before', from: midnight + 9, to: midnight + 8 },
      { resource: 'a', requester: 'evening', from: midnight + 7, to: midnight + 5 },
      { resource: 'a', requester: 'morning', from: midnight + 1, to: midnight / 2 },
      { resource: 'b', requester: 'all-day', from: midnight + 30, to: 0 },
      { resource: 'c', requester: 'today', from: midnight / 2, to: midnight / 4 },
    );
    await client.reserve({ resource: 'd', requester: 'now' });
    const who = async () => (await page.locator('.past tbody tr:not(.day) th').allTextContents()).sort();
    await go('/activity');
    await page.getByRole('link', { name: 'Yesterday' }).click();
    await page.waitForURL(/from=/);
    expect(await who()).toEqual(['all-day', 'before', 'evening', 'morning']);
    expect(await page.getByRole('link', { name: 'Yesterday' }).getAttribute('aria-current')).toBe('true');
    await page.getByLabel('Resource', { exact: true }).fill('a');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/resource=a/);
    expect(await who()).toEqual(['before', 'evening', 'morning']);
    await page.getByRole('link', { name: 'Today' }).click();
    await page.waitForURL((url) => url.searchParams.get('resource') === 'a' && !url.searchParams.has('fromExact'));
    expect(await who()).toEqual(['morning']);
    expect(await violations(page)).toEqual([]);
  });

  test('begins with who has it now, if that began before the end of the time that is asked for', async () => {
    const { client, past } = await newTenant();
    await past({ resource: 'iphone-15', requester: 'ci-41', from: 12, to: 11 });
    await client.register({ name: 'gpu', capacity: 8 });
    await client.reserve(
      { resource: 'iphone-15', requester: 'bob', note: 'soak test' },
      { resource: 'gpu', requester: 'eve', count: 2 },
      { resource: 'gpu', requester: 'zoe', count: 5 },
    );
    const rows = async (query: Readonly<Record<string, string>>) => {
      await go(`/activity?${new URLSearchParams(query)}`);
      const texts = await page.locator('table.past tbody tr:not(.day)').allInnerTexts();
      return texts.map((text) => text.replace(/\s+/g, ' ').trim());
    };
    const bob = expect.stringMatching(/bob iphone-15 soak test now$/);
    const eve = expect.stringMatching(/eve gpu.*gpu_0, gpu_1.* now$/);
    const zoe = expect.stringMatching(/zoe gpu 5 slots now$/);
    const ci = expect.stringMatching(/ci-41 iphone-15/);
    expect(await rows({})).toEqual([zoe, eve, bob, ci]);
    expect(await page.locator('.scroll').evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    expect(await rows({ resource: 'iphone' })).toEqual([bob, ci]);
    expect(await rows({ resource: '"gpu"' })).toEqual([zoe, eve]);
    expect(await rows({ resource: 'iphone', ending: 'RELEASED' })).toEqual([ci]);
    expect(await rows({ to: new Date(Date.now() - HOUR).toISOString().slice(0, 16) })).toEqual([ci]);
    expect(await violations(page)).toEqual([]);
  });

  test('of last month is one click away: as CSV, and as a report to print', async () => {
    const { past } = await newTenant();
    // Noon of a day in this week, whose month is the one of the report: the history does not keep all of last month.
    const noon = new Date(Date.now() - 48 * HOUR).setUTCHours(12, 0, 0, 0);
    const ago = (Date.now() - noon) / HOUR;
    await past(
      { resource: 'staging', requester: 'ci-41', from: ago + 3, to: ago },
      { resource: 'staging', requester: 'ci-42', from: ago, to: ago - 2, waitedMs: 120_000 },
    );
    await go('/activity');
    const { month, from, to, name } = monthBefore(new Date());
    const csv = page.getByRole('link', { name: `${name} as CSV` });
    expect(await csv.getAttribute('href')).toBe(`/dashboard/activity/history.csv?from=${from}&to=${to}`);
    await page.getByRole('link', { name: `Report of ${name}` }).click();
    await page.getByRole('heading', { name: `Report of ${name}` }).waitFor();
    expect(new URL(page.url()).search).toBe(`?month=${month}`);
    await go(`/activity/report?month=${new Date(noon).toISOString().slice(0, 7)}`);
    const rows = async (name: string) => {
      const texts = await page.getByRole('region', { name, exact: true }).locator('tbody tr, tfoot tr').allInnerTexts();
      return texts.map((text) => text.replace(/\s+/g, ' '));
    };
    expect(await rows('Resource')).toEqual([expect.stringMatching(/^staging \d+ % 2 2 min 0$/)]);
    expect(await rows('Who')).toEqual(['CI ci-* 2 runs 5 h 2 2 min', 'In all 5 h 2 2 min']);
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
  });
});

describe('mine', () => {
  test('has what I hold, the first to end first; what I wait for, and when; and what I had', async () => {
    const { client, past } = await newTenant();
    const me = String(await context.request.get(`${service.one.url}/dashboard/mine`).then((one) => one.text()));
    const requester = /([\w.-]+@[\w.-]+)/.exec(me)?.[1] ?? '';
    await past({ resource: 'old', requester, from: 3, to: 2 });
    await client.reserve(
      { resource: 'later', requester, ttlSeconds: 7200 },
      { resource: 'sooner', requester, ttlSeconds: 3600, note: 'a build' },
      { resource: 'busy', requester: 'ci-1', ttlSeconds: 3600 },
    );
    await go('/reserve?resource=busy');
    await page.locator('main form button[type="submit"]').first().click();
    await page.waitForURL((url) => !url.pathname.endsWith('/reserve'));
    await go('/mine');
    expect(await page.locator('.own .big a').allTextContents()).toEqual(['sooner', 'later']);
    await page
      .locator('.queue li', { hasText: 'busy' })
      .getByText(/^about/)
      .waitFor();
    await page.getByRole('region', { name: 'Your history' }).getByText('old').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('.own li', { hasText: 'sooner' }).getByRole('button', { name: 'Release sooner' }).click();
    await page
      .getByText(/released/)
      .first()
      .waitFor();
  });
});
