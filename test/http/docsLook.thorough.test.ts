/** GET /docs and below, as a browser shows it. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closePages, startBrowser, violations } from '../support/browser.ts';
import { holdfast, useInstance } from '../support/instance.ts';

useInstance();

describe('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => closePages(browser));

  test('pages are accessible and no wider than a phone, in both color schemes', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 780 } });
    const complaints: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    for (const path of ['docs', 'docs/reservation']) {
      await page.goto(`${holdfast.url}/${path}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // axe-core is evaluated, which the policy of the page allows to the tools of a browser alone.
        expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
      }
    }
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('Swagger UI shows the operations, and keeps to the policy', async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    await page.goto(`${holdfast.url}/docs/try`);
    await page.locator('.opblock-summary-control').first().click();
    await page.locator('.opblock-body').first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
