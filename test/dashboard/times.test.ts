/**
 * Times on the pages of the dashboard: relative to now, and absolute in the zone of the browser.
 */
import { describe, expect, test } from 'vitest';
import { createClient } from '../support/client.ts';
import { go, open, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

describe('a time on a page', () => {
  const reserve = async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.reserve({ resource: 'printer', requester: 'ann', ttlSeconds: 3600 });
  };
  const times = () => page.locator('[data-live="held"] time');

  test('is relative and goes on by itself; the absolute time is shown while it has the focus', async () => {
    await reserve();
    await go('/activity/live');
    const since = times().first();
    const before = await since.textContent();
    await expect.poll(() => since.textContent()).not.toBe(before);
    expect(await times().last().textContent()).toMatch(/^in 59 min$/);
    const shown = () =>
      page.evaluate(`getComputedStyle(document.querySelector('[data-live="held"] time'), '::after').content`);
    expect(await shown()).toBe('none');
    await since.focus();
    expect(await shown()).toBe(JSON.stringify(await since.getAttribute('title')));
  });

  test('is in the zone of the browser', async () => {
    await reserve();
    const browser = page.context().browser();
    const far = await browser?.newContext({
      timezoneId: 'Asia/Kolkata',
      locale: 'en-GB',
      storageState: await page.context().storageState(),
    });
    const there = await far?.newPage();
    await there?.goto(`${service.one.url}/dashboard/activity/live`);
    const title = there?.locator('[data-live="held"] time').first();
    expect(await title?.getAttribute('title')).toMatch(/GMT\+5:30$/);
    await far?.close();
  });

  test('is in UTC without scripts, and says so', async () => {
    await reserve();
    const plain = await open();
    await plain.route('**/*.js', (route) => route.abort());
    await go('/activity/live', plain);
    expect(await plain.locator('[data-live="held"] time').first().getAttribute('title')).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    );
  });
});
