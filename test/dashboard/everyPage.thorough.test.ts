/** The pages that everyPage.test.ts leaves out, with long names: accessible, and no wider than the screen. */
import { expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { checkPlaces, checkWidths, furnishTenant } from '../support/places.ts';
import { go, page, useVisitor } from '../support/visitor.ts';

useVisitor();

const PLACES = ['?view=tv', '/resources/one?name=printers', '/resources/one?name=Ink', '/slack'];
/** figures.thorough.test.ts shows these to axe-core. */
const SHOWN = [
  '/overview',
  '/insight',
  '/activity/live',
  '?view=table',
  '?view=grid',
  '/activity',
  '/access',
  '/access/tokens',
  '/settings',
  '/activity/changes',
  '/tenants',
  '/tenants/audit',
  '/nowhere',
];

test('in both color schemes: axe-core finds nothing, and nothing is wider than the screen', async () => {
  const tenant = await furnishTenant();
  await checkPlaces([...PLACES, `/tenants/${tenant}`]);
  await checkWidths(SHOWN);
  await go('?view=table');
  await page.getByRole('button', { name: 'Release everything' }).click();
  expect(await violations(page)).toEqual([]);
});
