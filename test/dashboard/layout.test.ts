/**
 * The places of the dashboard, and how much of the Board a screen shows (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { createClient } from '../support/client.ts';
import { context, go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const names = (locator: string) => page.locator(locator).allInnerTexts();

describe('the places', () => {
  test('are eight for an owner, with their pages as tabs', async () => {
    await signIn();
    await go('');
    expect((await names('.side nav li')).map((name) => name.trim())).toEqual([
      'Board',
      'Mine',
      'Activity',
      'Insight',
      'Resources',
      'Access',
      'Notices',
      'Settings',
    ]);
    await page.getByRole('link', { name: 'Access' }).click();
    await page.getByRole('navigation', { name: 'Access' }).getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    expect(await page.locator('.side [aria-current]').textContent()).toContain('Access');
  });

  test.each([
    ['/history?resource=a%20b', '/activity?resource=a%20b'],
    ['/live', '/activity/live'],
    ['/audit?who=ann', '/activity/changes?who=ann'],
    ['/members', '/access'],
    ['/keys?show=1', '/access/keys?show=1'],
    ['/tokens', '/access/tokens'],
    ['/members/remove', '/access/remove'],
  ])('are where the address of before leads: %s', async (before, now) => {
    const { status, to } = await ask(`${service.one.url}/dashboard${before}`);
    expect([status, to]).toEqual([308, `/dashboard${now}`]);
  });
});

describe('the Board with a banner', () => {
  const fill = async () => {
    const requester = `person:${await signIn()}@id.example`;
    const client = createClient(service.one.url, await readKey());
    const list = Array.from({ length: 20 }, (_, i) => ({
      name: `phone-${10 + i}`,
      labels: { os: 'android', site: 'a' },
    }));
    await client.register(...list);
    const [held] = (await client.reserve({ resource: 'phone-10', requester: 'ci', ttlSeconds: 3600 })).body;
    await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
      { resource: 'phone-10', requester, ttlSeconds: 60, waitSeconds: 600, claimSeconds: 600 },
    ]);
    if (held?.releaseToken === undefined) throw new Error('not reserved');
    await client.unreserve({ resource: 'phone-10', requester: 'ci', releaseToken: held.releaseToken });
  };
  const tops = () =>
    page.evaluate<number[]>(
      "[...document.querySelectorAll('.board tbody tr')].map((row) => row.getBoundingClientRect().bottom)",
    );

  test('shows at least 10 rows on a desktop', async () => {
    await fill();
    await page.setViewportSize({ width: 1440, height: 900 });
    await go('');
    await page.locator('.turn').waitFor();
    expect((await tops()).filter((bottom) => bottom <= 900).length).toBeGreaterThanOrEqual(10);
  });

  test('begins in the upper part of a phone, and its controls are large enough to tap', async () => {
    await fill();
    await page.setViewportSize({ width: 390, height: 844 });
    await go('?q=phone');
    const top = await page.evaluate<number>("document.querySelector('.board tbody tr').getBoundingClientRect().top");
    const banner = await page.evaluate<number>("document.querySelector('.turns').getBoundingClientRect().height");
    expect(top - banner).toBeLessThanOrEqual(300);
    const heights = await page.evaluate<number[]>(
      "[...document.querySelectorAll('main button, main .button, .bottom > a')].filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().height)",
    );
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
  });
});

test('no page has a style attribute', async () => {
  await signIn();
  await readKey();
  for (const path of ['', '/mine', '/activity', '/access', '/resources', '/insight'])
    expect(await (await context.request.get(`${service.one.url}/dashboard${path}`)).text()).not.toContain('style=');
});
