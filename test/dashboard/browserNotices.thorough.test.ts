/**
 * Notifications of the browser, while a page is open (docs/specification.md#personal-notices): a real Chromium, whose
 * notifications the test counts.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { bookingCalls } from '../support/bookingCalls.ts';
import { violations } from '../support/browser.ts';
import { type Client, createClient } from '../support/client.ts';
import { signIn as signInTo } from '../support/tenancy.ts';
import { until } from '../support/until.ts';
import { context, go, open, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

let client: Client;
let me = '';
let tenant = '';
beforeEach(async () => {
  me = `person:${await signIn()}@id.example`;
  client = createClient(service.other.url, await readKey());
  tenant = (await client.request<{ id: string }>('GET', '/api/v1/Tenant')).body.id;
  await context.grantPermissions(['notifications']);
  await context.addInitScript(`{
    document.addEventListener('holdfast:connected', () => document.documentElement.toggleAttribute('data-connected', true));
    const told = [];
    window.told = told;
    window.Notification = class extends Notification {
      constructor(title, options) {
        super(title, options);
        told.push({ title, shown: this });
      }
    };
  }`);
});

/** Waits for a number of notifications. Pages allow no evaluation, so waitForFunction() fails at times. */
const areTold = (number: number) => until('the notifications', async () => (await titles()).length === number);
const titles = (on = page) => on.evaluate<string[]>('told.map(({ title }) => title)');
/** Opens a page, and waits for its stream: a page is not told of what happened before. */
const listenOn = async (path: string) => {
  await go(path);
  await page.locator('html[data-connected]').waitFor();
};
const choose = async (...notices: string[]) => {
  await go('/mine/notices');
  expect(await violations(page)).toEqual([]);
  for (const notice of notices) await page.getByLabel(`${notice}: This browser`).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  // The script of the page keeps the choice in the browser.
  await page.waitForLoadState();
};
/** An operator takes away what a person has. */
const takeAway = async (resource: string) => {
  const { cookie } = await signInTo(service.one.redis, tenant, { role: 'operator', email: 'bo@id.example' });
  const body = new URLSearchParams({ resource, requester: me });
  await ask(`${service.one.url}/dashboard/release`, {
    method: 'POST',
    headers: { Cookie: cookie, Origin: service.one.url },
    body,
  });
};
const isGone = (resource: string, on = page) => on.locator(`[data-name="${resource}"]`).waitFor({ state: 'detached' });

describe('a notification of the browser', () => {
  test('is shown for what the person has chosen, on any page, and leads to the page about it', async () => {
    await choose('Something is taken away from me, or my booking of it');
    for (const resource of ['lamp', 'printer', 'desk'])
      await client.reserve({ resource, requester: resource === 'desk' ? 'ci' : me, ttlSeconds: 3600 });
    await listenOn('/mine');
    await page.getByRole('button', { name: 'Release lamp' }).click();
    await isGone('lamp');
    await takeAway('printer');
    await areTold(1);
    expect(await titles()).toEqual(['printer is taken away from you.']);
    await page.evaluate("told[0].shown.dispatchEvent(new Event('click'))");
    await page.waitForURL(/\/dashboard\/notice\?tenant=.*&notice=TAKEN&resource=printer/);
    await page.getByText('printer is free').waitFor();
  });

  test('says whose turn it is, that somebody waits, and that what is booked is out of service', async () => {
    await choose(
      'It is my turn',
      'Somebody waits for what I have',
      'What I booked begins, is delayed, or goes out of service',
    );
    const wait = (resource: string, requester: string) =>
      client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
        { resource, requester, ttlSeconds: 600, waitSeconds: 600, claimSeconds: 600 },
      ]);
    const [lamp] = (await client.reserve({ resource: 'lamp', requester: 'ci', ttlSeconds: 3600 })).body;
    await client.reserve({ resource: 'printer', requester: me, ttlSeconds: 3600 });
    await wait('lamp', me);
    await listenOn('');
    await wait('printer', 'ci');
    await areTold(1);
    if (lamp !== undefined) await client.unreserve(lamp);
    await areTold(2);
    await client.register({ name: 'phone', bookable: true });
    const [start, end] = [1, 2].map((hours) => new Date(Math.ceil(Date.now() / 1000 + hours * 3600) * 1000));
    await bookingCalls(client).book([{ resource: 'phone', requester: me, start, end }]);
    await client.setCondition({ resource: 'phone', condition: 'out' });
    await areTold(3);
    expect(await titles()).toEqual([
      'Somebody waits for printer.',
      expect.stringMatching(/^It is your turn: lamp\. Take it by .*\d\d:\d\d/),
      'phone, which you booked, is out of service.',
    ]);
  });

  test('is not shown to those who have not chosen it, nor in a browser that has not read their choice', async () => {
    await choose('My time ends soon');
    await client.reserve({ resource: 'printer', requester: me, ttlSeconds: 3600 });
    await listenOn('/mine');
    await takeAway('printer');
    await isGone('printer');
    expect(await titles()).toEqual([]);
  });
});

test('My notices asks the browser for permission by a button only', async () => {
  await context.clearPermissions();
  await go('/mine/notices');
  const isAsked = await page.evaluate("Notification.permission === 'default'");
  expect(await page.getByRole('button', { name: 'Allow notifications in this browser' }).isVisible()).toBe(isAsked);
  const other = await open();
  await go('', other);
  expect(await other.locator('#allow-notifications').count()).toBe(0);
});
