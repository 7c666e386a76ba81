/**
 * Figures that every page keeps to: sizes of controls, ids, no styles in the markup, zoom, and no violation of the
 * content security policy, which fails the test by itself (docs/specification.md#dashboard-and-sign-in).
 */
import { describe, expect, test } from 'vitest';
import { PLACES } from '../../src/dashboard/places.ts';
import { violations } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { checkPlaces } from '../support/places.ts';
import { context, go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const PAGES = [
  ...PLACES.flatMap(({ pages }) => pages.map(({ path }) => path.replace('/dashboard', ''))),
  '?view=table',
  '?view=grid',
  '/resources/one?name=rigs',
  '/resources/one?name=pixel-8',
  '/resources/one/qr?name=pixel-8',
  '/reserve',
  '/reserve?resource=pixel-8',
  '/reserve?resource=galaxy-s24',
  '/scan',
  '/shortcuts',
  '/tenants',
  '/tenants/audit',
  '/nowhere',
];

/** A lab with one of each: held by oneself and by others, waited for, granted, a pool. */
async function fill(): Promise<void> {
  const requester = `person:${await signIn('root')}@id.example`;
  const client = createClient(service.one.url, await readKey());
  await client.register(
    { name: 'phones', group: true },
    ...['pixel-8', 'galaxy-s24', 'iphone-15', 'iphone-16'].map((name) => ({
      name,
      treePath: 'phones',
      labels: { os: name.startsWith('i') ? 'ios' : 'android', site: 'berlin' },
    })),
    { name: 'rigs', capacity: 3 },
  );
  const [held] = (await client.reserve({ resource: 'iphone-15', requester: 'ci-42', ttlSeconds: 3600 })).body;
  await client.reserve(
    { resource: 'pixel-8', requester, ttlSeconds: 3600, note: 'camera crash' },
    { resource: 'iphone-16', requester: 'ci-43', ttlSeconds: 1800, note: 'nightly build' },
    { resource: 'rigs', requester: 'ci-44', count: 2, ttlSeconds: 1800 },
    { resource: 'not-registered', requester: 'ci-45' },
  );
  const wait = { requester, ttlSeconds: 600, waitSeconds: 600, claimSeconds: 600 };
  await client.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [
    { ...wait, resource: 'iphone-15' },
    { ...wait, resource: 'iphone-15', requester: 'ci-46' },
    { ...wait, resource: 'iphone-16' },
  ]);
  if (held?.releaseToken === undefined) throw new Error('not reserved');
  await client.unreserve({ resource: 'iphone-15', requester: 'ci-42', releaseToken: held.releaseToken });
}

/** Controls that can be seen and are lower than a number of px. Links within sentences are text. */
const lowerThan = (px: number, selector: string) =>
  page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches('.skip, .out-of-sight, .out-of-sight *'))
    .filter((one) => (one.matches('input') ? one.closest('label') ?? one : one).getBoundingClientRect().height < ${px} - 0.5)
    .map((one) => one.outerHTML.slice(0, 120))`);

const BUTTONS = 'button, .button, select, textarea, summary, .seg a, .chip, :not(td) > input:not([type=hidden])';
const LINKS = 'nav a, tbody th a, td > input[type=checkbox]';

describe('every page', () => {
  test('has controls of at least 24 px, on phones 40, and reads well when it is zoomed to 200 %', async () => {
    await fill();
    const low: Record<string, string[]> = {};
    for (const path of PAGES) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await go(path);
      low[`${path} on a desktop`] = await lowerThan(24, `${BUTTONS}, ${LINKS}`);
      await page.setViewportSize({ width: 390, height: 844 });
      low[`${path} on a phone`] = [...(await lowerThan(40, BUTTONS)), ...(await lowerThan(24, LINKS))];
      for (const width of [640, 390]) {
        await page.setViewportSize({ width, height: 450 });
        const wide = await page.evaluate<number>('document.scrollingElement.scrollWidth');
        if (wide !== width) low[`${path} at ${width} px`] = [`is ${wide} px wide`];
      }
    }
    expect(Object.fromEntries(Object.entries(low).filter(([, found]) => found.length > 0))).toEqual({});
  });

  test('has an id on each button that is renewed, no id twice, and no style in its markup', async () => {
    await fill();
    for (const path of PAGES) {
      const text = await (await context.request.get(`${service.one.url}/dashboard${path}`)).text();
      expect([path, text.match(/<[^>]* style=[^>]*>/g)]).toEqual([path, null]);
      await go(path);
      const bare = await page.evaluate(
        "[...document.querySelectorAll('[data-live] button:not([id])')].map((one) => one.outerHTML.slice(0, 120))",
      );
      expect([path, bare]).toEqual([path, []]);
      const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect([path, ids.filter((id, i) => ids.indexOf(id) !== i)]).toEqual([path, []]);
    }
  });

  test('has nothing that axe-core finds, with menus open, too', async () => {
    await fill();
    await checkPlaces(PAGES);
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const opener of ['#open-tenants', '#open-me']) {
      await page.locator(opener).click();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([opener, colorScheme, await violations(page)]).toEqual([opener, colorScheme, []]);
      }
      await page.keyboard.press('Escape');
    }
  });
});

test('printed, a page has its table and nothing to press', async () => {
  await fill();
  await page.emulateMedia({ media: 'print' });
  for (const path of ['?view=table', '/activity', '/insight', '/resources/one/qr?name=pixel-8']) {
    await go(path);
    const shown = await page.evaluate(
      "[...document.querySelectorAll('button, .button, nav, form, .side, .turns')].filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 120))",
    );
    expect([path, shown]).toEqual([path, []]);
  }
});
