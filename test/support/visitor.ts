/**
 * A visitor of the dashboard: a real Chromium, at two replicas, signed in at a real identity provider. `useVisitor`
 * starts and stops them; each test has a page of its own, and fails if the browser finds fault with one.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { closePages, startBrowser } from './browser.ts';
import { type DashboardService, startDashboard } from './dashboard.ts';
import { sessionOf } from './signingIn.ts';

export let service: DashboardService;
let browser: Browser;

/** The private key for pushes. */
const VAPID_KEY = Buffer.alloc(32, 7).toString('base64');

/** To be called at the top of a test file. */
export function useVisitor(): void {
  beforeAll(async () => {
    const TIERS = JSON.stringify({
      Free: { apiKeys: 3, writesPerMinute: null, readsPerMinute: null, writesPerDay: null },
    });
    [service, browser] = await Promise.all([startDashboard({ TIERS, VAPID_PRIVATE_KEY: VAPID_KEY }), startBrowser()]);
  });
  afterAll(async () => {
    await closePages(browser);
    await service.stop();
  });
  beforeEach(async () => {
    complaints = [];
    known = [service.one.url, service.other.url, service.provider.issuer];
    context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    page = await open();
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
}

export let context: BrowserContext;
export let page: Page;
/** Errors that the browser reports, and requests of pages to hosts other than the known ones. */
let complaints: string[] = [];
export let known: string[] = [];

export async function open(): Promise<Page> {
  const opened = await context.newPage();
  opened.on('pageerror', ({ message }) => complaints.push(message));
  opened.on('console', (message) => {
    // The console also reports streams that end and responses with a 4xx status.
    if (message.type() === 'error' && !/status of 4|ERR_INCOMPLETE_CHUNKED|net::ERR/.test(message.text()))
      complaints.push(message.text());
  });
  opened.on('request', (request) => {
    if (!known.includes(new URL(request.url()).origin)) complaints.push(`asks ${request.url()}`);
  });
  return opened;
}

let people = 0;
const nextPerson = () => `person-${people++}`;

/**
 * Signs in without the browser, which takes a tenth of the time, and gives it the session.
 * @param who by default somebody new
 */
export async function signIn(who = nextPerson()): Promise<string> {
  const cookie = await sessionOf(who, { url: service.one.url, issuer: service.provider.issuer });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: service.one.url, httpOnly: true, sameSite: 'Lax' }]);
  return who;
}

/**
 * Deletes the cookies of the browser. It leaves the page first: a page without a session goes to the sign-in page,
 * perhaps just as the test opens another one.
 */
export async function forgetSession(): Promise<void> {
  await page.goto('about:blank');
  await context.clearCookies();
}

/** Signs in by hand, at the form of the provider. @param who by default somebody new */
export async function signInByHand(who = nextPerson()): Promise<string> {
  await page.goto(`${service.one.url}/dashboard`);
  await page.getByRole('link', { name: /^Sign in with/ }).click();
  await page.getByLabel('Name').fill(who);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  return who;
}

/** Reads the default key of the tenant from the overview, without opening it in the browser. */
export async function readKey(): Promise<string> {
  const overview = await context.request.get(`${service.one.url}/dashboard/overview?show`);
  const [, key] = /id="key-value">([^<]+)</.exec(await overview.text()) ?? [];
  if (key === undefined) throw new Error('the overview has no key');
  return key;
}

/** Copies the default key of the tenant by the button of the overview. */
export async function copyKey(): Promise<string> {
  await page.goto(`${service.one.url}/dashboard/overview`);
  await page.getByRole('link', { name: 'Show the key' }).click();
  await page.getByRole('button', { name: 'Copy the key' }).click();
  // The button says so for 2 s only.
  await page.locator('#said', { hasText: 'Copied.' }).waitFor({ state: 'attached' });
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

export const go = (path: string, on = page, at = service.one) => on.goto(`${at.url}/dashboard${path}`);

/** Opens the menu of a row, and chooses from it. */
export async function choose(resource: string, action: string | RegExp): Promise<void> {
  await page.locator('summary', { hasText: `More for ${resource}` }).click();
  await page.locator('.row-menu[open]').getByText(action).click();
}

/** Takes away what somebody else holds, by the menu of its row. */
export async function takeAway(resource: string): Promise<void> {
  await choose(resource, 'Take away');
  await page.getByRole('heading', { name: `Take ${resource} away?` }).waitFor();
  await page.getByRole('button', { name: 'Take away' }).click();
}

export async function confirm(opener: string | RegExp, button: string): Promise<void> {
  await page.getByRole('button', { name: opener }).first().click();
  await page.locator(':popover-open').getByRole('button', { name: button }).click();
}

/** Signs out by the menu of the person. */
export async function signOut(): Promise<void> {
  await page.locator('[popovertarget=me]').click();
  await page.locator('#me').getByRole('button', { name: 'Sign out' }).click();
}
