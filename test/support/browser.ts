/**
 * A real Chromium: found on the PATH, else installed by the system's package manager.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findOrInstall, type Wanted } from '../../scripts/serverProgram.ts';

const CHROMIUM: Wanted = {
  title: 'Chromium',
  // Without a window, the shell takes half the CPU.
  names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
  folders: ['/usr/bin', '/usr/local/bin', '/snap/bin'],
  version: /(\d+)\.\d+/,
  oldestMajor: 120,
  packages: { apt: 'chromium-headless-shell', apk: 'chromium', dnf: 'chromium', brew: 'chromium' },
  cache: 'chromium',
  byHand: 'install Chromium',
};

let running: Promise<Browser> | undefined;

/** Returns the browser of this worker. Its test files share it: each closes what it has opened, by closePages(). */
export async function startBrowser(): Promise<Browser> {
  const known = await running?.catch(() => null);
  if (known?.isConnected()) return known;
  running = launch();
  return running;
}

export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

function launch(): Promise<Browser> {
  const { path } = findOrInstall(CHROMIUM, (line) => process.stdout.write(`${line}\n`));
  return chromium.launch({
    executablePath: path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Violations that axe-core finds in a page: rule and elements. Text that has the colour of its background is one, too:
 * axe-core only asks to look at it.
 */
export async function violations(page: Page): Promise<string[]> {
  await page.waitForLoadState();
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations', 'incomplete'] }).then(({ violations, incomplete }) => {
      const isUnseen = ({ any }) => any.some(({ data }) => data?.messageKey === 'equalRatio');
      const unseen = incomplete.map(({ id, nodes }) => ({ id, nodes: nodes.filter(isUnseen) }));
      return [...violations, ...unseen].flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary));
    })`,
  );
  return Array.isArray(found) ? found.map(String) : [String(found)];
}
