/** The pages that everyPage.test.ts leaves out: accessible, and no wider than the screen. */
import { expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { checkPlaces, furnishTenant } from '../support/places.ts';
import { go, page, useVisitor } from '../support/visitor.ts';

useVisitor();

const PLACES = [
  '/overview',
  '/insight',
  '/activity/live',
  '?view=table',
  '?view=grid',
  '?view=tv',
  '/resources/one?name=printers',
  '/resources/one?name=Ink',
  '/activity',
  '/access',
  '/access/tokens',
  '/settings',
  '/slack',
  '/activity/changes',
  '/tenants',
  '/tenants/audit',
];

test('in both color schemes: axe-core finds nothing, and nothing is wider than the screen', async () => {
  const tenant = await furnishTenant();
  await checkPlaces([...PLACES, `/tenants/${tenant}`, '/nowhere']);
  await go('?view=table');
  await page.getByRole('button', { name: 'Release everything' }).click();
  expect(await violations(page)).toEqual([]);
});
