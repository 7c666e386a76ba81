/**
 * Notices and My notices in a browser: a webhook is made and its secret copied, and the pages are accessible and no
 * wider than the screen (docs/specification.md#subscriptions).
 */
import { expect, test } from 'vitest';
import { checkPage, checkPlaces } from '../support/places.ts';
import { go, page, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

test('a webhook is made by a form, and its secret copied', async () => {
  await signIn();
  await go('/notices');
  await page.getByLabel('Label').fill('deployer');
  await page.getByLabel('Address (https)').fill('https://hooks.example.com/deploy');
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByRole('heading', { name: 'Secret of deployer' }).waitFor();
  await checkPage('secret');
  await page.getByRole('button', { name: 'Copy the secret' }).click();
  await page.locator('#said', { hasText: 'Copied.' }).waitFor({ state: 'attached' });
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^whsec_/);
  await page.getByRole('link', { name: 'deployer' }).click();
  await page.getByRole('heading', { name: 'deployer', level: 1 }).waitFor();
  await checkPage('one');
});

test('in both color schemes: axe-core finds nothing, and nothing is wider than the screen', async () => {
  await signIn();
  await checkPlaces([
    '/mine/notices',
    '/notices?kind=slack',
    '/notices?kind=email',
    '/reserve?resource=x&condition=dirty',
  ]);
});
