/**
 * The pages Insight and Overview (docs/specification.md#dashboard-and-sign-in): what the last week says, and the first
 * steps of a new tenant.
 */
import { describe, expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { addPast } from '../support/pastEntries.ts';
import { until } from '../support/until.ts';
import { go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const HOUR_MS = 3_600_000;

const tenantOf = (key: string) => /^hf_(.+)_/.exec(key)?.[1] ?? '';

async function accessible(place: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([place, colorScheme, await violations(page)]).toEqual([place, colorScheme, []]);
  }
  await page.setViewportSize({ width: 360, height: 800 });
  expect([place, await page.evaluate('document.scrollingElement.scrollWidth')]).toEqual([place, 360]);
}

/** Makes a week of history: a phone that is in use for most of it and waited for, and a desk that nobody wants. */
async function fillWeek(client: Client, tenant: string): Promise<void> {
  const now = Date.now();
  await client.register({ name: 'phone', treePath: 'lab' }, { name: 'desk', capacity: 2 });
  await addPast(service.one.redis, tenant, [
    { resource: 'phone', reservedAt: now - 160 * HOUR_MS, endedAt: now - 10 * HOUR_MS, waitedMs: 120_000 },
    { resource: 'printer', reservedAt: now - 10 * HOUR_MS, endedAt: now - 9 * HOUR_MS },
    { resource: 'phone', endedAt: now - 8 * HOUR_MS, waitedMs: 240_000 },
  ]);
  await client.reserve({ resource: 'phone', requester: 'ann' });
  await client.reserve({ resource: 'phone', requester: 'bob' });
}

describe('Insight', () => {
  test('lists what is too small at the top, with what one more slot would have saved, worst first', async () => {
    await signIn();
    const key = await readKey();
    const now = Date.now();
    const waits = (resource: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        resource,
        reservedAt: now - (20 - i) * HOUR_MS,
        endedAt: now - (19 - i) * HOUR_MS,
        ...(i > 0 && { waitedMs: HOUR_MS / 2 }),
      }));
    await addPast(service.one.redis, tenantOf(key), [
      ...waits('rig', 3),
      ...waits('bench', 6),
      { resource: 'desk', reservedAt: now - 3 * HOUR_MS, endedAt: now - 2 * HOUR_MS },
    ]);
    await go('/insight');
    const short = await page.getByRole('region', { name: 'Too small' }).locator('p').allInnerTexts();
    expect(short).toEqual([
      expect.stringMatching(/^bench With one slot more than its 1 of today.*, 5 of the 5 .* 0 s instead of 30 min\.$/),
      expect.stringMatching(/^rig With one slot more than its 1 of today.*, 2 of the 2 .* 0 s instead of 30 min\.$/),
    ]);
    await accessible('too small');
  });

  test('says what to buy, what nobody needs, and what was refused', async () => {
    await signIn();
    const key = await readKey();
    await fillWeek(createClient(service.other.url, key), tenantOf(key));
    await until('the refusal is counted', async () => {
      await go('/insight');
      return (await page.getByRole('region', { name: 'Refused' }).getByRole('link', { name: 'phone' }).count()) === 1;
    });
    const rows = (label: string) => page.getByRole('region', { name: label }).locator('tbody tr').allInnerTexts();
    const [phone = '', printer = '', ...others] = await rows('Resources used most');
    expect(phone).toMatch(/phone\s+Buy one more\s+(92|93|94) %\s+2\s+3 min\s+4 min\s+1\s+1/);
    expect(printer).toMatch(/printer\s+1 %\s+1\s+–\s+–\s+0\s+0/);
    expect(others).toEqual([]);
    const [first, second, ...more] = await rows('People and jobs that held most');
    expect([first, second, more]).toEqual([expect.any(String), expect.stringMatching(/ann program\s+\d s\s+1/), []]);
    expect(await page.locator('.heat rect').count()).toBe(168);
    expect(await page.locator('.names li').allInnerTexts()).toEqual(['desk']);
    expect((await page.locator('.axis-y span').allInnerTexts()).at(-1)).toBe('0');
    await accessible('insight');
    // On a phone, each row has its name in one line.
    const names = page.locator('.sums tbody th');
    expect(Math.max(...(await names.evaluateAll((all) => all.map((one) => one.clientHeight))))).toBeLessThan(30);
    await page.getByRole('link', { name: '24 hours' }).click();
    await page.getByRole('heading', { name: 'Last 24 hours', exact: true }).waitFor();
    expect((await rows('Resources used most'))[0]).toMatch(/phone\s+(58|59|60) %\s/);
    // The tier keeps the history for a week.
    expect(await page.getByRole('navigation', { name: 'Time' }).getByRole('link').allInnerTexts()).toEqual([
      '24 hours',
      '7 days',
    ]);
  });

  test('of a longer time has the means of its weeks, bars of days, and says that refusals are of a week', async () => {
    await signIn();
    const key = await readKey();
    const client = createClient(service.other.url, key);
    await client.register({ name: 'rack', capacity: 2 });
    await client.reserve({ resource: 'rack', requester: 'ann' });
    await go('/insight?days=30');
    await page.getByRole('heading', { name: 'Pools, day by day' }).waitFor();
    expect(await page.locator('.heat rect').count()).toBe(168);
    expect(await page.locator('svg.trend').getAttribute('viewBox')).toMatch(/^0 0 31 /);
    await page.getByText('Not used in the last 30 days').waitFor();
    expect(await page.getByText('refused in 7 days', { exact: true }).count()).toBe(1);
  });

  test('of a new tenant says that there is nothing yet', async () => {
    await signIn();
    await go('/insight');
    await page.getByText('Nobody has reserved anything in the last 7 days.').waitFor();
    await page.getByText('Nothing was refused.').waitFor();
    await accessible('insight of a new tenant');
  });
});

test('Insight shows six people on a phone, and all of them once it is asked to', async () => {
  await signIn();
  const client = createClient(service.other.url, await readKey());
  const items = Array.from({ length: 8 }, (_, i) => ({ resource: `rig-${i}`, requester: `person ${'abcdefgh'[i]}` }));
  await client.reserve(...items);
  await page.setViewportSize({ width: 390, height: 844 });
  await go('/insight');
  const card = page.getByRole('region', { name: 'People and jobs', exact: true });
  const shown = () => card.locator('tbody tr').filter({ visible: true }).count();
  expect(await shown()).toBe(6);
  await card.getByLabel('All 8').check();
  expect(await shown()).toBe(8);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  expect(await shown()).toBe(8);
});

describe('the overview of a new tenant', () => {
  const states = () => page.locator('.step').allInnerTexts();

  test('has three steps that turn green as they are done, and are gone afterwards', async () => {
    await signIn();
    const key = await readKey();
    await go('/overview');
    expect(await states()).toEqual(['To do', 'To do', 'To do']);
    await accessible('overview');
    const client = createClient(service.other.url, key);
    const { body } = await client.reserve({ resource: 'printer', requester: 'me', ttlSeconds: 600 });
    await page.locator('[data-live="step-reservation"].done').waitFor();
    await until('the key is seen', async () => {
      await page.reload();
      return (await states())[0] === '✓ Done';
    });
    expect(await states()).toEqual(['✓ Done', '✓ Done', 'To do']);
    await client.unreserve(...body);
    await page.locator('[data-live="step-watch"].done').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'The API' }).waitFor();
    expect(await states()).toEqual([]);
  });

  test('has commands to copy, with the address and the key', async () => {
    await signIn();
    const key = await readKey();
    await go('/overview?show');
    await page.locator('summary', { hasText: 'curl: Copy your key' }).click();
    await page.getByRole('button', { name: 'Copy the command for curl: Copy your key' }).click();
    // The button says so for 2 s only.
    await page.locator('#said', { hasText: 'Copied.' }).waitFor({ state: 'attached' });
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toContain(`HOLDFAST_URL=${service.one.url} HOLDFAST_KEY='${key}'`);
  });
});
