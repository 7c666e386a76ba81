/**
 * Every page in a browser: accessible, usable by keyboard, renewed without disturbing, and bounded in length.
 */
import { describe, expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { forgetSession, go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const PLACES = [
  '',
  '/mine',
  '/overview',
  '/insight',
  '/activity/live',
  '/reservations',
  '/resources',
  '/resources/one?name=printers',
  '/resources/one?name=Ink',
  '/activity',
  '/access/keys',
  '/access',
  '/access/tokens',
  '/settings',
  '/activity/changes',
  '/tenants',
  '/tenants/audit',
];

describe('every page', () => {
  test.each([
    ['light', 1200, 360],
    ['dark', 360, 1200],
  ] as const)(
    '%s, %i px wide: axe-core finds nothing, and nothing is wider than the screen; nor at %i px',
    async (colorScheme, width, otherWidth) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await go('/sign-in');
      expect(await violations(page)).toEqual([]);
      await signIn('root');
      const client = createClient(service.one.url, await readKey());
      await client.register(
        { name: 'printers', capacity: 12, blocks: ['Ink'] },
        { name: 'Desk', treePath: 'House>Floor' },
      );
      await client.reserve(
        { resource: 'printers', requester: 'x'.repeat(256) },
        { resource: 'y'.repeat(256), requester: 'q' },
      );
      const waiting = { resource: 'y'.repeat(256), requester: 'w'.repeat(256), ttlSeconds: 60, waitSeconds: 600 };
      await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
        waiting,
        ...Array.from({ length: 13 }, (_, i) => ({ ...waiting, resource: 'printers', requester: `${i}` })),
      ]);
      const tenant = (await client.request<{ id: string }>('GET', '/api/v1/Tenant')).body.id;
      for (const place of [...PLACES, `/tenants/${tenant}`, '/nowhere']) {
        await go(place);
        expect([place, await violations(page)]).toEqual([place, []]);
        for (const wide of [otherWidth, width]) {
          await page.setViewportSize({ width: wide, height: 800 });
          expect([place, await page.evaluate('document.scrollingElement.scrollWidth')]).toEqual([place, wide]);
        }
      }
      await go('/reservations');
      await page.getByRole('button', { name: 'Release everything' }).click();
      expect(await violations(page)).toEqual([]);
    },
  );

  test('is used by keyboard alone', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.reserve({ resource: 'printer', requester: 'alice' });
    await go('/reservations');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // the link that skips the navigation
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('button', { name: /Take away printer/ }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Cancel');
    await page.keyboard.press('Escape');
    expect((await client.available('printer')).body).toBe(false);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText(/ is taken away\./).waitFor();
  });

  test('renews itself without taking the focus away, or a question that is open', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.register({ name: 'House', capacity: 3 }, { name: 'Desk', treePath: 'House' });
    await go('/resources');
    await page.getByRole('link', { name: 'House' }).focus();
    await client.reserve({ resource: 'Desk', requester: 'alice' });
    await page.locator('[data-name="House"].some').waitFor();
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('House');
    await go('/reservations');
    await page.getByRole('button', { name: /Take away Desk/ }).click();
    const renewed = page.waitForResponse((response) => response.url().endsWith('/reservations'));
    await client.reserve({ resource: 'other', requester: 'bob' });
    await renewed;
    await page.locator(':popover-open').getByRole('button', { name: 'Cancel' }).click();
    await client.reserve({ resource: 'third', requester: 'bob' });
    await page.getByRole('rowheader', { name: 'third' }).waitFor();
  });

  test('renews itself without losing a click that has begun, and once a question is closed', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.reserve({ resource: 'Desk', requester: 'alice' });
    await go('/reservations');
    const fetchedAnew = async (waiting: number) => {
      await client.reserve({ resource: `other${waiting}`, requester: 'bob' });
      await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
        { resource: 'Desk', requester: `bob${waiting}`, ttlSeconds: 60, waitSeconds: 600 },
      ]);
      // This part stands below the one of the button, so that one has had its turn.
      await page.getByRole('heading', { name: `${waiting} waiting` }).waitFor();
    };
    await page.getByRole('button', { name: /Take away Desk/ }).hover();
    await page.mouse.down();
    await fetchedAnew(1);
    await page.mouse.up();
    const cancel = page.locator(':popover-open').getByRole('button', { name: 'Cancel' });
    await cancel.waitFor();
    await fetchedAnew(2);
    await cancel.click();
    await page.getByRole('rowheader', { name: 'other2' }).waitFor();
  });

  test('shows 30 of 10,000 reservations and 300 of 10,000 resources at most', async () => {
    await signIn();
    const key = await readKey();
    await forgetSession();
    await signIn('root');
    const tenant = /^hf_(.+)_/.exec(key)?.[1];
    await go(`/tenants/${tenant}`);
    await page.getByLabel('Tier').selectOption('Enterprise');
    await page.getByRole('button', { name: 'Change the tier' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await forgetSession();
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
    expect(await page.locator('tbody tr').count()).toBe(30);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Page 2 of 334').waitFor();
    await page.getByLabel('Search').fill('plain-r00007');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('10,000 held, 1 found').waitFor();
    await go('/resources');
    await page.getByText('10,000 registered').waitFor();
    expect(await page.locator('.node').count()).toBe(300);
  });
});
