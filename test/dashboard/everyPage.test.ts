/**
 * Every page in a browser: accessible, no wider than the screen, and usable by keyboard.
 */
import { describe, expect, test } from 'vitest';
import { createClient } from '../support/client.ts';
import { checkPage, checkPlaces, furnishTenant } from '../support/places.ts';
import { go, page, readKey, service, signIn, useVisitor } from '../support/visitor.ts';

useVisitor();

/** The pages that people use most. The others are in everyPage.thorough.test.ts. */
const PLACES = ['', '/mine', '/resources', '/access/keys'];

describe('every page', () => {
  test('in both color schemes: axe-core finds nothing, and nothing is wider than the screen', async () => {
    await go('/sign-in');
    await checkPage('/sign-in');
    await furnishTenant();
    await checkPlaces(PLACES);
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
