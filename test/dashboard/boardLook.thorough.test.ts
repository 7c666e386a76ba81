/**
 * How the Board looks in a browser: how soon its rows come, by eye and by keyboard, and that all of its views are
 * accessible (docs/specification.md#dashboard-and-sign-in).
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

let client: Client;
let me = '';
beforeEach(async () => {
  me = `person:${await signIn()}@id.example`;
  client = createClient(service.other.url, await readKey());
  await client.register(
    { name: 'phones', group: true },
    ...Array.from({ length: 14 }, (_, i) => ({
      name: `phone-${String(i).padStart(2, '0')}`,
      treePath: 'phones',
      labels: { os: i % 2 ? 'iOS' : 'Android', site: 'Berlin' },
    })),
    { name: 'staging', blocks: ['database'] },
    { name: 'load-test', blocks: ['database'] },
    { name: 'gpu', capacity: 8 },
    { name: 'licences', capacity: 40 },
  );
  await client.reserve(
    { resource: 'staging', requester: 'ci-42', ttlSeconds: 3000, note: 'release 2.14' },
    { resource: 'gpu', requester: 'train', count: 3, ttlSeconds: 9000 },
    { resource: 'licences', requester: 'farm', count: 6, ttlSeconds: 9000 },
    { resource: 'phone-03', requester: 'bo@lab.example' },
  );
  await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
    { resource: 'staging', requester: 'ci-43', ttlSeconds: 1800, waitSeconds: 600 },
  ]);
});

/** Lets it be the person's turn, which every page says in a banner. */
async function turn(): Promise<void> {
  const [held] = (await client.reserve({ resource: 'turn', requester: 'ci' })).body;
  await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
    { resource: 'turn', requester: me, ttlSeconds: 600, waitSeconds: 600, claimSeconds: 500 },
  ]);
  await client.unreserve({ resource: 'turn', requester: 'ci', releaseToken: held?.releaseToken });
}

const firstRow = () => page.locator('tr[data-name]').first();

describe('the rows of the Board', () => {
  test('begin at 300 px at most on a phone, and are 60 px high with buttons of 40 px', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await go('');
    const { y = 999, height } = (await firstRow().boundingBox()) ?? {};
    expect(y).toBeLessThanOrEqual(300);
    expect(height).toBe(60);
    expect((await firstRow().getByRole('link', { name: 'Reserve' }).boundingBox())?.height).toBe(40);
  });

  test('have one line above them on a phone, in which Free is one tap, and a button that says Queue', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await go('');
    const topOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y;
    expect(await topOf('.facet summary')).toBe(await topOf('.views a'));
    const queue = page.locator('tr[data-name=staging]').getByRole('link', { name: 'Join queue staging' });
    // Of "Join queue staging" it shows one word.
    expect((await queue.boundingBox())?.width).toBeLessThan(80);
    await page.getByRole('link', { name: 'Free 15' }).click();
    await page.waitForURL(/free=1/);
    expect(await page.locator('tr[data-name=staging]').count()).toBe(0);
  });

  test('have buttons and menus that end at one line each, and menus that are seen, paler until the row is pointed at, closed by Escape', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await go('');
    const ends = await page
      .locator('.act .actions')
      .evaluateAll((all) => all.map((one) => Math.round(one.firstElementChild?.getBoundingClientRect().right ?? 0)));
    expect(new Set(ends).size).toBe(1);
    const menus = await page
      .locator('.act .row-menu')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().right)));
    expect(new Set(menus).size).toBe(1);
    const row = 'tr[data-name=staging]';
    const opacity = () => page.evaluate(`getComputedStyle(document.querySelector('${row} .row-menu')).opacity`);
    expect(await opacity()).toBe('0.7');
    await page.locator(row).hover();
    await expect.poll(opacity).toBe('1');
    const menu = page.locator(`${row} .row-menu`);
    await menu.locator('summary').click();
    await menu.getByRole('link', { name: /^Out of service/ }).focus();
    await page.keyboard.press('Escape');
    expect(await menu.getAttribute('open')).toBeNull();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
  });

  test('begin at 300 px at most on a phone below a turn, whatever the person has', async () => {
    await turn();
    await client.reserve(
      { resource: 'phone-00', requester: me, ttlSeconds: 600 },
      { resource: 'phone-01', requester: me, ttlSeconds: 900 },
    );
    await page.setViewportSize({ width: 390, height: 844 });
    await go('');
    await page.locator('.turns').getByText('It is your turn: turn.').waitFor();
    expect((await firstRow().boundingBox())?.y).toBeLessThanOrEqual(300);
  });

  test('are at least ten on a desktop, below a banner', async () => {
    await turn();
    await page.setViewportSize({ width: 1440, height: 900 });
    await go('');
    await page.locator('.turns').getByText('It is your turn: turn.').waitFor();
    const heights = await page
      .locator('tr[data-name]')
      .evaluateAll((rows) =>
        rows.map((row) => row.getBoundingClientRect()).flatMap(({ bottom, height }) => (bottom <= 900 ? [height] : [])),
      );
    expect(heights.length).toBeGreaterThanOrEqual(10);
    expect(new Set(heights.map(Math.round))).toEqual(new Set([44]));
  });

  test('have an action that twelve Tabs reach', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await go('');
    let tabs = 0;
    const focused = () => page.evaluate('document.activeElement.textContent');
    while (tabs < 12 && !/^Reserve\s+phone-00/.test(String(await focused()))) {
      await page.keyboard.press('Tab');
      tabs++;
      if (/Skip to the list/.test(String(await focused()))) await page.keyboard.press('Enter');
    }
    expect(await focused()).toMatch(/^Reserve\s+phone-00/);
    process.stdout.write(`${tabs} Tabs to the first action\n`);
  });

  test('need no sideways scroll at a zoom of 200 percent', async () => {
    await page.setViewportSize({ width: 640, height: 400 });
    for (const view of ['', '?view=table', '?view=grid']) {
      await go(view);
      expect([view, await page.evaluate('document.scrollingElement.scrollWidth')]).toEqual([view, 640]);
    }
  });
});

test('what was is told in two lines of 60 px on a phone: who and how long, then when, what and how it ended', async () => {
  const [held] = (await client.reserve({ resource: 'phone-05', requester: 'ci-7', note: 'a long note '.repeat(9) }))
    .body;
  await client.unreserve({ resource: 'phone-05', requester: 'ci-7', releaseToken: held?.releaseToken });
  await page.setViewportSize({ width: 390, height: 844 });
  await go('/activity');
  const row = page.locator('.past tbody tr', { hasText: 'a long note' });
  const boxOf = async (part: string) => (await row.locator(part).boundingBox()) ?? { y: 0, height: 99 };
  const [who, what, ended] = [await boxOf('th'), await boxOf('.what'), await boxOf('.from')];
  expect(await row.evaluate((one) => Math.round(one.getBoundingClientRect().height))).toBeLessThanOrEqual(62);
  expect(who.y + who.height).toBeLessThanOrEqual(what.y + 2);
  expect(Math.abs(what.y - ended.y)).toBeLessThan(6);
  expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(390);
});

describe('each view of the Board', () => {
  test.each(['light', 'dark'] as const)(
    'has no violation that axe-core finds, nor two equal ids: %s',
    async (scheme) => {
      await page.emulateMedia({ colorScheme: scheme });
      for (const view of ['', '?view=table', '?view=grid', '?view=tv', '?label=os%3DiOS&fold=phones']) {
        await go(view);
        expect([view, await violations(page)]).toEqual([view, []]);
        const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
        expect([view, ids.filter((id, i) => ids.indexOf(id) !== i)]).toEqual([view, []]);
      }
    },
  );
});
