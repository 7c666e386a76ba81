/**
 * The dashboard as people use it: in a real Chromium, at two replicas, signed in at a real identity provider.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startBrowser, violations } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { type DashboardService, startDashboard } from '../support/dashboard.ts';
import { startInstance } from '../support/service.ts';

let service: DashboardService;
let browser: Browser;
beforeAll(async () => {
  const TIERS = JSON.stringify({
    Free: { apiKeys: 3, writesPerMinute: null, readsPerMinute: null, writesPerDay: null },
  });
  [service, browser] = await Promise.all([startDashboard({ TIERS }), startBrowser()]);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
});

let context: BrowserContext;
let page: Page;
/** Whatever the browser finds wrong with pages, and hosts that they ask besides the service's own. */
let complaints: string[] = [];
let known: string[] = [];
beforeEach(async () => {
  complaints = [];
  known = [service.one.url, service.other.url, service.provider.issuer];
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  context.setDefaultTimeout(10_000);
  page = await open();
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function open(): Promise<Page> {
  const opened = await context.newPage();
  opened.on('pageerror', ({ message }) => complaints.push(message));
  opened.on('console', (message) => {
    // A stream that ends and an answer that refuses are told there too.
    if (message.type() === 'error' && !/status of 4|ERR_INCOMPLETE_CHUNKED|net::ERR/.test(message.text()))
      complaints.push(message.text());
  });
  opened.on('request', (request) => {
    if (!known.includes(new URL(request.url()).origin)) complaints.push(`asks ${request.url()}`);
  });
  return opened;
}

/** Signs in from wherever the page is sent to, as somebody new unless it is said who. */
let people = 0;
async function signIn(who = `person-${people++}`): Promise<string> {
  await page.goto(`${service.one.url}/dashboard`);
  await page.getByRole('link', { name: /^Sign in with/ }).click();
  await page.getByLabel('Name').fill(who);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return who;
}

async function copyKey(): Promise<string> {
  await page.goto(`${service.one.url}/dashboard`);
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

const go = (path: string, on = page, at = service.one) => on.goto(`${at.url}/dashboard${path}`);

async function confirm(opener: string | RegExp, button: string): Promise<void> {
  await page.getByRole('button', { name: opener }).first().click();
  await page.locator(':popover-open').getByRole('button', { name: button }).click();
}

describe('signing in', () => {
  test('leads to the page that was asked for, with a tenant of one’s own and its default key', async () => {
    await go('/resources?q=x');
    await page.getByRole('link', { name: /^Sign in with/ }).click();
    await page.getByLabel('Name').fill('newcomer');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Resources' }).waitFor();
    expect(page.url()).toBe(`${service.one.url}/dashboard/resources?q=x`);
    const key = await copyKey();
    expect(key).toMatch(/^hf_newcomer-[0-9a-f]{6}_\w{32,}$/);
    expect((await createClient(service.other.url, key).definitions()).status).toBe(200);
  });

  test('again leads to the same tenant', async () => {
    const who = await signIn();
    const key = await copyKey();
    await context.clearCookies();
    await signIn(who);
    expect(await copyKey()).toBe(key);
  });

  test('is for the browser that began it: its session is a cookie that no script reads', async () => {
    await signIn();
    const cookie = (await context.cookies()).find(({ name }) => name === 'holdfast_session');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
    expect(await page.evaluate('document.cookie')).not.toContain('holdfast');
  });

  test('ends with signing out: on every page, at every replica', async () => {
    await signIn();
    const second = await open();
    await go('/live', second, service.other);
    await second.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out of Holdfast').waitFor();
    await second.waitForURL(/sign-in/);
    await go('/keys', second, service.other);
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await context.cookies()).some(({ name }) => name === 'holdfast_session')).toBe(false);
  });
});

describe('the default key', () => {
  test('is copied, with a curl line that works', async () => {
    await signIn();
    const key = await copyKey();
    await page.getByRole('button', { name: 'Copy a curl line' }).click();
    await page.locator('[data-copy="key-curl"]', { hasText: 'Copied' }).waitFor();
    const line = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(line).toContain(`${service.one.url}/api/v1/Reservation/reserve`);
    expect(line).toContain(key);
    await page.getByText('Show the key').click();
    await page.getByText(key, { exact: true }).waitFor();
  });

  test('is rotated: the old one is refused, the new one works', async () => {
    await signIn();
    const old = await copyKey();
    await confirm('Rotate the key', 'Rotate the key');
    await page.getByText('The key has a new value.').waitFor();
    const young = await copyKey();
    expect(young).not.toBe(old);
    expect((await createClient(service.other.url, old).definitions()).status).toBe(401);
    expect((await createClient(service.other.url, young).definitions()).status).toBe(200);
  });

  test('is not rotated where one thinks better of it', async () => {
    await signIn();
    const old = await copyKey();
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    await page.locator(':popover-open').getByRole('button', { name: 'Cancel' }).click();
    await page.locator(':popover-open').waitFor({ state: 'detached' });
    expect(await copyKey()).toBe(old);
  });
});

describe('a reservation over HTTP', () => {
  test('appears live on another replica’s page, and goes when it is released', async () => {
    await signIn();
    const client = createClient(service.one.url, await copyKey());
    await go('/live', page, service.other);
    await page.getByText('connected', { exact: true }).waitFor();
    const { body } = await client.reserve({ resource: 'seen-live', requester: 'robot' });
    const row = page.locator('#events tr', { hasText: 'RESERVED' });
    await row.getByText('seen-live').waitFor();
    await page.locator('[data-live="held"]').getByText('seen-live').waitFor();
    await client.unreserve({ resource: 'seen-live', requester: 'robot', releaseToken: body[0]?.releaseToken });
    await page.locator('#events tr', { hasText: 'UNRESERVED' }).getByText('RELINQUISHED').waitFor();
    await page.locator('[data-live="held"]').getByText('seen-live').waitFor({ state: 'detached' });
  });
});

describe('the live page', () => {
  test('shows what passes its filter, and nothing else; it is paused and cleared', async () => {
    await signIn();
    const client = createClient(service.one.url, await copyKey());
    await go('/live');
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByLabel('RESERVE_FAILED', { exact: true }).uncheck();
    await page.getByLabel('Requester').fill('ALI');
    await client.reserve(
      { resource: 'a', requester: 'bob' },
      { resource: 'a', requester: 'alice' },
      { resource: 'b', requester: 'alice' },
    );
    await page.locator('#events tr').getByText('alice').waitFor();
    expect(await page.locator('#events tr').allInnerTexts()).toEqual([expect.stringMatching(/RESERVED\s+b\s+alice/)]);
    await page.getByRole('button', { name: 'Pause' }).click();
    await client.reserve({ resource: 'c', requester: 'alice' });
    await page.locator('[data-live="held"]').getByText('c', { exact: true }).waitFor();
    expect(await page.locator('#events tr').count()).toBe(1);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('#events tr').nth(1).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await page.locator('#events tr').count()).toBe(0);
  });

  test('connects again when its replica is back, says so, and reads what is held anew', async () => {
    await signIn();
    const client = createClient(service.one.url, await copyKey());
    const before = await startInstance({ keys: [], env: service.env });
    known.push(before.url);
    await go('/live', page, before);
    await page.getByText('connected', { exact: true }).waitFor();
    await before.stop();
    await page.getByText('interrupted, connecting again').waitFor();
    await client.reserve({ resource: 'while-away', requester: 'robot' });
    const after = await startInstance({ keys: [], env: service.env, port: Number(new URL(before.url).port) });
    await page.getByText('The stream was interrupted').waitFor();
    await page.locator('[data-live="held"]').getByText('while-away').waitFor();
    await after.stop();
  });
});

describe('reservations', () => {
  test('are searched, and one is released by force, once it was asked again', async () => {
    await signIn();
    const client = createClient(service.other.url, await copyKey());
    await client.reserve({ resource: 'printer', requester: 'alice' }, { resource: 'scanner', requester: 'bob' });
    await go('/reservations');
    await page.getByLabel('Search').fill('ALICE');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('2 held, 1 found').waitFor();
    expect(await page.getByText('scanner').count()).toBe(0);
    await confirm(/Release printer/, 'Release');
    await page.getByText('Released.', { exact: true }).waitFor();
    expect((await client.available('printer')).body).toBe(true);
    expect((await client.available('scanner')).body).toBe(false);
  });

  test('that are gone already are told of', async () => {
    await signIn();
    const client = createClient(service.other.url, await copyKey());
    await client.reserve({ resource: 'printer', requester: 'alice' });
    await go('/reservations');
    await page.getByRole('button', { name: /Release printer/ }).click();
    await client.reset();
    await page.locator(':popover-open').getByRole('button', { name: 'Release' }).click();
    await page.getByRole('alert').getByText('It was not released: it is free already.').waitFor();
    await client.reserve({ resource: 'later', requester: 'bob' });
    await page.getByRole('rowheader', { name: 'later' }).waitFor(); // the page goes on renewing itself
  });

  test('are released all at once', async () => {
    await signIn();
    const client = createClient(service.other.url, await copyKey());
    await client.reserve({ resource: 'a', requester: 'q' }, { resource: 'b', requester: 'q' });
    await go('/reservations');
    await confirm('Release everything', 'Release everything');
    await page.getByText('All reservations are released.').waitFor();
    expect((await client.active()).body).toEqual([]);
  });
});

describe('resources', () => {
  test('are registered; a reservation of a leaf colours it and what is above it, on an open page', async () => {
    await signIn();
    const client = createClient(service.other.url, await copyKey());
    await go('/resources');
    await page.getByLabel('Name', { exact: true }).fill('Desk');
    await page.getByLabel(/^Tree path/).fill('House>Floor');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('Registered.', { exact: true }).waitFor();
    const colour = () =>
      page.evaluate(`getComputedStyle(document.querySelector('[data-name="House"]')).backgroundColor`);
    const states = () =>
      Promise.all(['House', 'Floor', 'Desk'].map((name) => page.locator(`[data-name="${name}"]`).textContent()));
    expect(await states()).toEqual(Array(3).fill(expect.stringContaining('free')));
    const before = await colour();
    await client.reserve({ resource: 'Desk', requester: 'alice' });
    await page.locator('[data-name="House"].full').waitFor();
    expect(await states()).toEqual(Array(3).fill(expect.stringContaining('held')));
    await expect.poll(colour).not.toBe(before);
  });

  test('a pool is shown slot by slot, with what it takes along; it is changed and deleted', async () => {
    await signIn();
    const client = createClient(service.other.url, await copyKey());
    await client.register({ name: 'pool', capacity: 3, blocks: ['Ink', 'Paper'] }, { name: 'Ink' });
    await go('/resources');
    await page.getByRole('link', { name: 'pool' }).click();
    await client.reserve({ resource: 'pool', requester: 'alice' });
    await page.locator('.slots li.held', { hasText: 'pool_0' }).getByText('alice').waitFor();
    for (const blocker of ['Ink', 'Paper']) await page.locator(`[data-name="${blocker}"].full`).waitFor();
    expect(await page.locator('.slots li.free').count()).toBe(2);
    await page.getByLabel('Capacity').fill('5');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('4 of 5 free').waitFor();
    await page.getByRole('link', { name: 'pool' }).click();
    await confirm(/^Delete/, 'Delete');
    await page.getByRole('alert').waitFor();
    await client.reset();
    await confirm(/^Delete/, 'Delete');
    await page.getByText('Deleted.', { exact: true }).waitFor();
    expect((await client.definitions()).body.map(({ name }) => name)).toEqual(['Ink']);
  });

  test('that are too many for a picture are found page by page, and below their parent', async () => {
    await signIn();
    const client = createClient(service.other.url, await copyKey());
    const names = Array.from({ length: 130 }, (_, i) => `r${String(i).padStart(3, '0')}`);
    await client.register(
      ...names.map((name) => ({ name })),
      ...names.map((name) => ({ name: `${name}-below`, treePath: 'House' })),
    );
    await go('/resources');
    expect(await page.locator('.tree > li > .node').count()).toBe(100 + 50);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    await page.getByRole('link', { name: 'r129', exact: true }).waitFor();
    await page.getByLabel('Search').fill('-below');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('130 found').waitFor();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'r129-below' }).waitFor();
    await go('/resources');
    await page.getByRole('link', { name: 'and 80 more below House' }).click();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'r129-below' }).waitFor();
  });

  test('a registration that is refused says why, and keeps what was typed', async () => {
    await signIn();
    await go('/resources');
    await page.getByLabel('Name', { exact: true }).fill('a>b');
    await page.getByLabel(/^Blockers/).fill('x\ny');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').getByText('Name must not contain >').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('a>b');
    expect(await page.getByLabel(/^Blockers/).inputValue()).toBe('x\ny');
  });
});

describe('keys', () => {
  test('are made up to the tier’s number, shown, and deleted', async () => {
    await signIn();
    await go('/keys');
    for (const label of ['worker', 'staging']) {
      await page.getByLabel(/^Label/).fill(label);
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByText('The key is created.').waitFor();
      await page.getByRole('heading', { name: `Key ${label}` }).waitFor();
    }
    await page.getByText('Show the key').click();
    const staging = String(await page.locator('#key-value').textContent());
    const client = createClient(service.other.url, staging);
    expect((await client.definitions()).status).toBe(200);
    await page.getByLabel(/^Label/).fill('one too many');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('alert').getByText('3 ApiKeys').waitFor();
    await confirm('Delete staging', 'Delete');
    await page.getByText('Deleted.', { exact: true }).waitFor();
    expect((await client.definitions()).status).toBe(401);
    expect(await page.locator('tbody th').allInnerTexts()).toEqual(['default', 'worker']);
  });

  test('tell when they were last used', async () => {
    await signIn();
    const client = createClient(service.other.url, await copyKey());
    await go('/keys');
    await page.getByText('not yet').waitFor();
    await client.definitions();
    await expect.poll(async () => (await go('/keys')) && page.getByText('not yet').count(), { timeout: 8000 }).toBe(0);
  });
});

describe('settings', () => {
  test('only what is registered may be reserved, from the moment it is saved', async () => {
    await signIn();
    const client = createClient(service.other.url, await copyKey());
    await go('/settings');
    await page.getByLabel('Only registered resources').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    expect(await page.getByLabel('Only registered resources').isChecked()).toBe(true);
    expect((await client.reserve({ resource: 'plain', requester: 'q' })).body[0]?.status).toBe('NOT_VALID');
  });

  test('an issuer of JWTs is registered and forgotten, from tier Starter on; one that is refused says why', async () => {
    const who = await signIn();
    await go('/settings');
    await page.getByText('Tier Free has no token exchange').waitFor();
    expect(await page.getByRole('button', { name: 'Register the issuer' }).count()).toBe(0);
    await context.clearCookies();
    await signIn('root');
    await go(`/tenants?q=${who}`);
    await page.getByRole('link', { name: new RegExp(`^${who}-`) }).click();
    await page.getByLabel('Tier').selectOption('Starter');
    await page.getByRole('button', { name: 'Change the tier' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await context.clearCookies();
    await signIn(who);
    await go('/settings');
    expect(await page.getByLabel('Audience').inputValue()).toMatch(new RegExp(`^holdfast:${who}-`));
    const fill = async (issuer: string, jwksUrl: string) => {
      await page.getByLabel('Issuer', { exact: true }).fill(issuer);
      await page.getByLabel('Audience').fill(`${issuer}/api`);
      await page.getByLabel(/^Address/).fill(jwksUrl);
      await page.getByRole('button', { name: 'Register the issuer' }).click();
    };
    await fill('https://id.example', 'ftp://id.example/keys');
    await page.getByRole('alert').getByText('JwksUrl must be').waitFor();
    expect(await page.getByLabel('Issuer', { exact: true }).inputValue()).toBe('https://id.example');
    await fill('https://id.example', 'https://id.example/keys');
    await page.getByText('Saved.', { exact: true }).waitFor();
    await confirm(/^Remove/, 'Remove');
    await page.getByText('None.').waitFor();
  });
});

describe('tenants', () => {
  test('are for administrators', async () => {
    await signIn();
    expect(await page.getByRole('link', { name: 'Tenants' }).count()).toBe(0);
    expect((await go('/tenants'))?.status()).toBe(403);
    expect((await go('/tenants/acme'))?.status()).toBe(403);
  });

  test('are searched; one gets another tier, is suspended and resumed, and all of it is in its audit trail', async () => {
    const who = await signIn();
    const client = createClient(service.other.url, await copyKey());
    await context.clearCookies();
    await signIn('root');
    await page.getByRole('link', { name: 'Tenants' }).click();
    await page.getByLabel('Search').fill(who);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: new RegExp(`^${who}-`) }).click();
    await page.getByLabel('Tier').selectOption('Pro');
    await page.getByRole('button', { name: 'Change the tier' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await confirm(/^Suspend/, 'Suspend');
    await page.getByText('The tenant is suspended.').waitFor();
    expect((await client.definitions()).status).toBe(403);
    await confirm(/^Resume/, 'Resume');
    await page.getByText('The suspension has ended.').waitFor();
    expect((await client.definitions()).status).toBe(200);
    const trail = await page.locator('section', { hasText: 'Audit trail' }).locator('tbody tr').allInnerTexts();
    expect(trail.map((row) => row.split('\t')[2])).toEqual([
      'tenant.resume',
      'tenant.suspend',
      'tier.change',
      'tenant.create',
    ]);
    expect(trail[0]).toContain('admin:root@id.example');
  });
});

const PLACES = [
  '',
  '/live',
  '/reservations',
  '/resources',
  '/resources/one?name=printers',
  '/keys',
  '/settings',
  '/tenants',
];

describe('every page', () => {
  test.each([
    ['light', 1200],
    ['dark', 1200],
    ['light', 360],
    ['dark', 360],
  ] as const)(
    '%s, %i px wide: axe-core finds nothing, and nothing is wider than the screen',
    async (colorScheme, width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await go('/sign-in');
      expect(await violations(page)).toEqual([]);
      await signIn('root');
      const client = createClient(service.one.url, await copyKey());
      await client.register(
        { name: 'printers', capacity: 12, blocks: ['Ink'] },
        { name: 'Desk', treePath: 'House>Floor' },
      );
      await client.reserve(
        { resource: 'printers', requester: 'x'.repeat(256) },
        { resource: 'y'.repeat(256), requester: 'q' },
      );
      const tenant = (await client.request<{ id: string }>('GET', '/api/v1/Tenant')).body.id;
      for (const place of [...PLACES, `/tenants/${tenant}`, '/nowhere']) {
        await go(place);
        expect([place, await violations(page)]).toEqual([place, []]);
        expect([place, await page.evaluate('document.scrollingElement.scrollWidth')]).toEqual([place, width]);
      }
      await go('/reservations');
      await page.getByRole('button', { name: 'Release everything' }).click();
      expect(await violations(page)).toEqual([]);
    },
  );

  test('is used by keyboard alone', async () => {
    await signIn();
    const client = createClient(service.other.url, await copyKey());
    await client.reserve({ resource: 'printer', requester: 'alice' });
    await go('/reservations');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // the link that skips the navigation
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('button', { name: /Release printer/ }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Cancel');
    await page.keyboard.press('Escape');
    expect((await client.available('printer')).body).toBe(false);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Released.', { exact: true }).waitFor();
  });

  test('renews itself without taking the focus away, or a question that is open', async () => {
    await signIn();
    const client = createClient(service.other.url, await copyKey());
    await client.register({ name: 'House', capacity: 3 }, { name: 'Desk', treePath: 'House' });
    await go('/resources');
    await page.getByRole('link', { name: 'House' }).focus();
    await client.reserve({ resource: 'Desk', requester: 'alice' });
    await page.locator('[data-name="House"].some').waitFor();
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('House');
    await go('/reservations');
    await page.getByRole('button', { name: /Release Desk/ }).click();
    const renewed = page.waitForResponse((response) => response.url().includes('/reservations?'));
    await client.reserve({ resource: 'other', requester: 'bob' });
    await renewed;
    await page.locator(':popover-open').getByRole('button', { name: 'Cancel' }).click();
    await client.reserve({ resource: 'third', requester: 'bob' });
    await page.getByRole('rowheader', { name: 'third' }).waitFor();
  });

  test('shows 100 of 10,000 reservations and 300 of 10,000 resources at most', async () => {
    await signIn();
    const key = await copyKey();
    await context.clearCookies();
    await signIn('root');
    const tenant = /^hf_(.+)_/.exec(key)?.[1];
    await go(`/tenants/${tenant}`);
    await page.getByLabel('Tier').selectOption('Enterprise');
    await page.getByRole('button', { name: 'Change the tier' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await context.clearCookies();
    await signIn(tenant?.replace(/-[0-9a-f]+$/, ''));
    const client = createClient(service.other.url, key);
    for (let i = 0; i < 10_000; i += 500) {
      const names = Array.from({ length: 500 }, (_, j) => `r${String(i + j).padStart(5, '0')}`);
      await client.register(
        ...names.map((name, j) => ({
          name,
          ...(j % 50 === 0 ? {} : { treePath: names[j - (j % 50)] ?? '' }),
          capacity: 60,
        })),
      );
      await client.reserve(...names.map((name, j) => ({ resource: `plain-${name}`, requester: `q${j}` })));
    }
    await go('/reservations');
    await page.getByText('10,000 held').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(100);
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByText('Page 2 of 100').waitFor();
    await page.getByLabel('Search').fill('plain-r00007');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('10,000 held, 1 found').waitFor();
    await go('/resources');
    await page.getByText('10,000 registered').waitFor();
    expect(await page.locator('.node').count()).toBe(300);
  });
});
