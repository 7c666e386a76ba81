/**
 * Times on the pages of the dashboard: relative to now, and absolute in the zone of the browser.
 */
import { describe, expect, test } from 'vitest';
import { createClient } from '../support/client.ts';
import { go, open, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

describe('a time on a page', () => {
  const reserve = async (ttlSeconds = 3600) => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.reserve({ resource: 'printer', requester: 'ann', ttlSeconds });
  };
  const AT = '/resources/one?name=printer';
  const TIME = 'main time[data-as="in"]';

  test('is relative and goes on by itself; the absolute time is shown while it has the focus', async () => {
    await reserve(59);
    await go(AT);
    const end = page.locator(TIME).first();
    const before = await end.textContent();
    expect(before).toMatch(/^5\d s$/);
    await expect.poll(() => end.textContent()).not.toBe(before);
    const shown = () => page.evaluate(`getComputedStyle(document.querySelector('${TIME}'), '::after').content`);
    expect(await shown()).toBe('none');
    await end.focus();
    expect(await shown()).toBe(JSON.stringify(await end.getAttribute('title')));
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
    await there?.goto(`${service.one.url}/dashboard${AT}`);
    const title = there?.locator(TIME).first();
    expect(await title?.getAttribute('title')).toMatch(/GMT\+5:30$/);
    await far?.close();
  });

  test('is in UTC without scripts, and says so', async () => {
    await reserve();
    const plain = await open();
    await plain.route('**/*.js', (route) => route.abort());
    await go(AT, plain);
    expect(await plain.locator(TIME).first().getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  });
});
