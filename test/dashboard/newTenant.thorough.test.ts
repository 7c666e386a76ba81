/**
 * The first minutes of a tenant in a browser: demo data beside what the user made, and the form to register
 * (docs/specification.md#dashboard-and-sign-in).
 */
import { expect, test } from 'vitest';
import { violations } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

const toast = () => page.locator('#toasts .toast');

test('a new tenant is filled by one click, and only the demo is removed by one click', async () => {
  await signIn();
  const client = createClient(service.one.url, await readKey());
  await go('');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Fill it with demo data' }).click();
  await toast().getByText('20 demo resources are added.').waitFor();
  await page.getByRole('link', { name: 'galaxy-s24', exact: true }).first().waitFor();
  await client.register({ name: 'own-phone', labels: { os: 'ios' } });
  await client.reserve({ resource: 'own-phone', requester: 'ann' });
  await go('/resources');
  await page.getByRole('button', { name: 'Remove the demo data' }).click();
  await toast().getByText('The demo data is removed.').waitFor();
  await page.getByText('1 registered').waitFor();
  expect((await client.definitions()).body).toMatchObject([{ name: 'own-phone' }]);
  expect((await client.active()).body).toMatchObject([{ resource: 'own-phone', requester: 'ann' }]);
});

test('the form to register is a drawer of the resources, asks at its fields, and says Save for a change', async () => {
  await signIn();
  const client = createClient(service.one.url, await readKey());
  await client.register({ name: 'lab', group: true }, { name: 'rigs', capacity: 4 });
  await client.reserve({ resource: 'rigs', requester: 'ci', count: 4 });
  await go('/resources');
  await page.getByRole('link', { name: 'Register' }).click();
  const drawer = page.getByRole('dialog', { name: 'Register a resource' });
  await drawer.getByLabel('Name').fill('rigs');
  await drawer.getByLabel('Labels 1').fill('os=ios, site=oslo');
  expect(await violations(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Register' }).click();
  await drawer.getByRole('alert').getByText('“rigs” is registered already.').waitFor();
  expect(await page.evaluate('document.activeElement.name')).toBe('name');
  expect(await drawer.getByLabel('Labels 1').inputValue()).toBe('os=ios, site=oslo');
  await drawer.getByLabel('Name').fill('pixel-8');
  await drawer.getByLabel(/^Path/).fill('lab');
  await drawer.getByRole('button', { name: 'Register' }).click();
  await toast().getByText('pixel-8 is registered.').waitFor();
  await page.locator('[data-name="pixel-8"]').getByText('ios · oslo').waitFor();
  // Forms are drawers once the script of the page is here.
  await page.waitForLoadState();
  await page.getByRole('link', { name: 'Change rigs' }).click();
  const change = page.getByRole('dialog', { name: 'Change rigs' });
  await change.getByLabel('Capacity').fill('1');
  await change.getByRole('button', { name: 'Save' }).click();
  await change.getByRole('alert').getByText('4 slots of “rigs” are held, more than 1.').waitFor();
  await change.getByRole('button', { name: 'Save' }).click();
  await toast().getByText('rigs has 1 instead of 4 slots.').waitFor();
});
