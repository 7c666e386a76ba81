/**
 * Every page in a browser: accessible, no wider than the screen, and usable by keyboard.
 */
import { describe, expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const PLACES = [
  '',
  '/mine',
  '/overview',
  '/insight',
  '/activity/live',
  '?view=table',
  '?view=grid',
  '?view=tv',
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

/** Each colour scheme, and each width, once. */
const SCREENS = [
  ['light', 1200],
  ['dark', 360],
] as const;

describe('every page', () => {
  test('in both color schemes: axe-core finds nothing, and nothing is wider than the screen', async () => {
    const check = async (place: string) => {
      for (const [colorScheme, width] of SCREENS) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        const wide = await page.evaluate('document.scrollingElement.scrollWidth');
        expect([place, colorScheme, wide, await violations(page)]).toEqual([place, colorScheme, width, []]);
      }
    };
    await go('/sign-in');
    await check('/sign-in');
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
      await check(place);
    }
    await go('?view=table');
    await page.getByRole('button', { name: 'Release everything' }).click();
    expect(await violations(page)).toEqual([]);
  });

  test('is used by keyboard alone', async () => {
    await signIn();
    const client = createClient(service.other.url, await readKey());
    await client.reserve({ resource: 'printer', requester: 'alice' });
    await go('');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // the link that skips the navigation
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.locator('summary', { hasText: 'More for printer' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Take printer away?' }).waitFor();
    expect((await client.available('printer')).body).toBe(false);
    await page.getByRole('button', { name: 'Take away' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/ is taken away\./).waitFor();
  });
});
