/**
 * A person reserves, extends, releases and waits with a browser (docs/specification.md#reserving-by-hand).
 */
import { describe, expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { choose, context, go, open, page, readKey, service, signIn, takeAway, useVisitor } from '../support/visitor.ts';

useVisitor();

const newClient = async () => {
  const who = await signIn();
  return { requester: `person:${who}@id.example`, client: createClient(service.other.url, await readKey()) };
};
const button = (name: string | RegExp) => page.getByRole('button', { name });
const notice = (text: string | RegExp) => page.getByRole('status').getByText(text).waitFor();
const reserveAt = (resource: string) => go(`/reserve?${new URLSearchParams({ resource, back: '/dashboard' })}`);

const isFound = async (schemes: readonly ('light' | 'dark')[] = ['light', 'dark']) => {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
  }
};

/** Whether the page is no wider than the screen. */
const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth');

describe('by hand', () => {
  test('a person reserves, extends and releases, on a phone too', async () => {
    await newClient();
    await page.setViewportSize({ width: 360, height: 740 });
    await reserveAt('phone');
    await page.getByLabel('What for').fill('a photo');
    await isFound();
    expect(await fits()).toBe(true);
    await button(/^Reserve/).click();
    await notice(/ is yours/);
    // What the person has stands above the table, too.
    await page.getByRole('table').getByRole('link', { name: 'Extend phone' }).click();
    await page.getByRole('radio', { name: /\+1 h/ }).check();
    await isFound();
    expect(await fits()).toBe(true);
    await button(/^Extend/).click();
    await notice(/ is extended/);
    const end = await page.locator('tr[data-name="phone"] .doing time').getAttribute('datetime');
    expect(Math.abs(Date.parse(end ?? '') - Date.now() - 2 * 3600e3)).toBeLessThan(90_000);
    // A row has one button on a phone. The others are on the page of the resource.
    await page.getByRole('table').getByRole('link', { name: 'phone', exact: true }).click();
    await choose('phone', 'Release');
    await notice(/ is released\./);
    expect(await page.locator('.row-menu[open]').count()).toBe(0);
  });

  test('a person sees which slot of a pool they have, and keeps it for an hour more than now', async () => {
    const { client } = await newClient();
    await client.register({ name: 'phones', capacity: 3 });
    await client.reserve({ resource: 'phones', requester: 'ci-42', ttlSeconds: 600 });
    await go('/reserve?resource=phones');
    await page.getByRole('radio', { name: /2 h/ }).check();
    await button(/^Reserve/).click();
    await page.getByText('you have phones_1').waitFor();
    await page.getByRole('link', { name: 'Extend phones' }).click();
    await page.getByText('It ends at').waitFor();
    await button(/^Extend/).click();
    await notice(/ is extended/);
    const held = (
      await client.request<{ requester: string; expiresAt: string }[]>('GET', '/api/v1/Reservation/activeReservations')
    ).body.find(({ requester }) => requester !== 'ci-42');
    expect(Math.abs(Date.parse(held?.expiresAt ?? '') - Date.now() - 3 * 3600e3)).toBeLessThan(60_000);
  });

  test('the way to a resource says who is in it, and until when', async () => {
    const { client } = await newClient();
    await client.register({ name: 'stage' }, { name: 'stage/web', treePath: 'stage' });
    await client.reserve({ resource: 'stage', requester: 'ci-42', ttlSeconds: 600 });
    await go(`/resources/one?${new URLSearchParams({ name: 'stage/web' })}`);
    await page.getByText(/stage is full\. Held by ci-42 since .*, until .*, in (9 min|10 min)/).waitFor();
    expect(await page.getByText('Free', { exact: true }).count()).toBe(0);
    await go('');
    const row = page.locator(`[data-name="stage/web"]`);
    await row.getByText('is in use').waitFor();
    expect(await row.textContent()).toMatch(/is in use, until .*\d\d:\d\d/);
  });

  test('a time is that of the browser', async () => {
    const { client, requester } = await newClient();
    await reserveAt('lab');
    const local = await page.evaluate(
      `(() => { const at = new Date(Date.now() + 3 * 3600e3); at.setMinutes(at.getMinutes() - at.getTimezoneOffset()); return at.toISOString().slice(0, 16); })()`,
    );
    await page.getByRole('radio', { name: 'Other…' }).check();
    const until = page.getByLabel(/^Until \(your time/);
    expect(await until.inputValue()).toMatch(/T\d\d:\d\d$/);
    await until.fill(String(local));
    await button(/^Reserve/).click();
    await notice(/ is yours/);
    const [held] = (
      await client.request<{ requester: string; expiresAt: string }[]>('GET', '/api/v1/Reservation/activeReservations')
    ).body;
    expect(held?.requester).toBe(requester);
    expect(Math.abs(Date.parse(held?.expiresAt ?? '') - Date.now() - 3 * 3600e3)).toBeLessThan(90_000);
  });

  test('a person waits, is told on the open page that it is their turn, and takes it', async () => {
    const { client, requester } = await newClient();
    const [held] = (await client.reserve({ resource: 'staging', requester: 'ci-42', ttlSeconds: 600 })).body;
    await reserveAt('staging');
    await button('Join the queue').click();
    await notice(/You are 1st in the queue/);
    await page.getByText('you are 1st, about').waitFor();
    await isFound();
    await client.unreserve({ resource: 'staging', requester: 'ci-42', releaseToken: held?.releaseToken });
    await page.locator('.turns').getByText('It is your turn: staging.').waitFor();
    await page.locator('#said').getByText('It is your turn: staging.').waitFor({ state: 'attached' });
    expect(await page.title()).toContain('Your turn: staging');
    await isFound();
    await button('Take it staging').first().click();
    await notice(/ is yours/);
    const [mine] = (await client.request<object[]>('GET', '/api/v1/Reservation/activeReservations')).body;
    expect(mine).toMatchObject({ requester, claimBy: null });
  });

  test('an operator takes away after a question; the others see who did it', async () => {
    const { client, requester } = await newClient();
    await client.reserve({ resource: 'rig', requester: 'ci-42', ttlSeconds: 600 });
    const live = await open();
    await go('/activity/live', live, service.other);
    await live.getByText('connected', { exact: true }).waitFor();
    await go('');
    await takeAway('rig');
    await notice(/ is taken away\./);
    await live.locator('#events').getByText(`by ${requester}`).waitFor();
    await live.close();
  });
});

describe('without scripts', () => {
  test('a person reserves until a time of UTC, and gives it back', async () => {
    await newClient();
    const plain = await context.browser()?.newContext({ javaScriptEnabled: false });
    if (plain === undefined) throw new Error('no browser');
    await plain.addCookies(await context.cookies());
    const sheet = await plain.newPage();
    await sheet.goto(`${service.one.url}/dashboard/reserve?resource=desk&back=/dashboard`);
    await sheet.getByRole('radio', { name: 'Other…' }).check();
    await sheet.getByLabel('Until (UTC)').fill(new Date(Date.now() + 7200e3).toISOString().slice(0, 16));
    await sheet.getByRole('button', { name: /^Reserve/ }).click();
    await sheet.getByText(/ is yours/).waitFor();
    await sheet.locator('summary', { hasText: 'More for desk' }).click();
    await sheet.getByRole('button', { name: 'Release desk' }).click();
    await sheet.getByText(/ is released\./).waitFor();
    await sheet.goto(`${service.one.url}/dashboard/shortcuts`);
    await sheet.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await plain.close();
  });
});

describe('shortcuts', () => {
  test('open pages, search, move between rows, and show themselves', async () => {
    const { client } = await newClient();
    for (const resource of ['a', 'b']) await client.reserve({ resource, requester: 'ci-42', ttlSeconds: 600 });
    await go('');
    await page.keyboard.type('gh');
    await page.waitForURL(/activity/);
    await page.goBack();
    await page.getByRole('rowheader', { name: 'a', exact: true }).waitFor();
    const rowOfFocus = () => page.evaluate(`document.activeElement?.closest('tr')?.rowIndex ?? null`);
    await page.keyboard.press('j');
    const first = Number(await rowOfFocus());
    await page.keyboard.press('j');
    expect(await rowOfFocus()).toBe(first + 1);
    await page.keyboard.press('k');
    expect(await rowOfFocus()).toBe(first);
    await page.keyboard.press('/');
    await page.keyboard.type('g r?');
    expect(await page.evaluate('document.activeElement.value')).toBe('g r?');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Open Board').waitFor();
    await isFound();
    await dialog.getByLabel('Use shortcuts in this browser').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('j');
    expect(await dialog.count()).toBe(0);
  });
});
