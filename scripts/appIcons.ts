/**
 * Draws the icons of the app on phones from the icon of the pages.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { APP_ICONS } from '../src/dashboard/app.ts';

const ASSETS = new URL('../src/dashboard/assets/', import.meta.url);

export async function drawAppIcons(browser: Browser): Promise<void> {
  mkdirSync(new URL('icons/', ASSETS), { recursive: true });
  const svg = readFileSync(new URL('icon.svg', ASSETS), 'utf8');
  for (const { name, size, purpose } of APP_ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    // The system cuts the corners of a maskable one itself, and up to a fifth of each side.
    const drawing = purpose === 'any' ? svg : svg.replace('viewBox="0 0 32 32"', 'viewBox="-4 -4 40 40"');
    const ground = purpose === 'any' ? 'transparent' : '#2350c9';
    await page.setContent(`<style>body { margin: 0; background: ${ground} } svg { display: block }</style>${drawing}`);
    await page.screenshot({
      path: new URL(`icons/${name}.png`, ASSETS).pathname,
      omitBackground: true,
    });
    await page.close();
  }
}
