/** Places of the dashboard with something to see in each, which tests look at one after the other. */
import { expect } from 'vitest';
import { violations } from './browser.ts';
import { createClient } from './client.ts';
import { go, page, readKey, service, signIn } from './visitor.ts';

/** Each colour scheme, and each width, once. */
const SCREENS = [
  ['light', 1200],
  ['dark', 360],
] as const;

/** Checks that nothing of the page that is open is wider than the screen. */
async function checkWidth(place: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  expect([place, await page.evaluate('document.scrollingElement.scrollWidth')]).toEqual([place, width]);
}

/** Checks that axe-core finds nothing in the page that is open, and that nothing is wider than the screen. */
export async function checkPage(place: string): Promise<void> {
  for (const [colorScheme, width] of SCREENS) {
    await page.emulateMedia({ colorScheme });
    await checkWidth(place, width);
    expect([place, colorScheme, await violations(page)]).toEqual([place, colorScheme, []]);
  }
}

/** Opens each place and checks it. */
export async function checkPlaces(places: readonly string[]): Promise<void> {
  for (const place of places) {
    await go(place);
    await checkPage(place);
  }
}

/** Opens each place, and checks that nothing of it is wider than a screen. */
export async function checkWidths(places: readonly string[]): Promise<void> {
  for (const place of places) {
    await go(place);
    for (const [, width] of SCREENS) await checkWidth(place, width);
  }
}

/** Signs a root in, with long names, holders and a queue in the tenant. Returns the tenant. */
export async function furnishTenant(): Promise<string> {
  await signIn('root');
  const client = createClient(service.one.url, await readKey());
  await client.register({ name: 'printers', capacity: 12, blocks: ['Ink'] }, { name: 'Desk', treePath: 'House>Floor' });
  await client.reserve(
    { resource: 'printers', requester: 'x'.repeat(256) },
    { resource: 'y'.repeat(256), requester: 'q' },
  );
  const waiting = { resource: 'y'.repeat(256), requester: 'w'.repeat(256), ttlSeconds: 60, waitSeconds: 600 };
  await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
    waiting,
    ...Array.from({ length: 13 }, (_, i) => ({ ...waiting, resource: 'printers', requester: `${i}` })),
  ]);
  return (await client.request<{ id: string }>('GET', '/api/v1/Tenant')).body.id;
}
