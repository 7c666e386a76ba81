/**
 * `npm run screenshots`: takes pictures of every dashboard page for docs/, light and dark, wide and narrow. Starts a
 * service with example data for them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startBrowser } from '../test/support/browser.ts';
import { createClient } from '../test/support/client.ts';

const FOLDER = 'docs/dashboard';
const PAGES: Record<string, string> = {
  overview: '',
  live: '/live',
  reservations: '/reservations',
  resources: '/resources',
  pool: '/resources/one?name=printers',
  keys: '/keys',
  settings: '/settings',
  tenants: '/tenants',
};
const WIDTHS = { wide: 1200, narrow: 390 };

const folder = mkdtempSync(join(tmpdir(), 'holdfast-screenshots-'));
const service = spawn(process.execPath, ['--import', 'tsx', 'scripts/start.ts'], {
  env: {
    ...process.env,
    PORT: '0',
    DATABASE_URL: `pglite:${join(folder, 'data')}`,
    KEY_SECRET: 'only for pictures of the dashboard',
    LOCAL_SIGN_IN: 'true',
    LOG_LEVEL: 'info',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const url = await new Promise<string>((resolve) => {
  createInterface(service.stdout).on('line', (line) => {
    const found = /"url":"([^"]+)"/.exec(line)?.[1];
    if (found !== undefined) resolve(found);
  });
});
process.once('exit', () => service.kill('SIGKILL'));
const browser = await startBrowser();
mkdirSync(FOLDER, { recursive: true });

/** Opens a page in a new browser context and signs in. */
async function signIn(options: { colorScheme: 'light' | 'dark'; viewport: { width: number; height: number } }) {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(`${url}/dashboard`);
  await page.getByRole('button', { name: 'Sign in on this machine' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

const first = await signIn({ colorScheme: 'light', viewport: { width: 1200, height: 800 } });
const client = createClient(url, String(await first.locator('#key-value').textContent()));
PAGES.tenant = `/tenants/${(await client.request<{ id: string }>('GET', '/api/v1/Tenant')).body.id}`;
await client.register(
  { name: 'House', capacity: 10 },
  { name: 'Floor1', capacity: 4, treePath: 'House' },
  ...['Desk1', 'Desk2', 'Desk3'].map((name) => ({ name, treePath: 'House>Floor1' })),
  { name: 'Room', capacity: 3, treePath: 'House>Floor2' },
  { name: 'printers', capacity: 8, blocks: ['Ink', 'Paper'] },
  { name: 'Ink' },
  { name: 'Paper', capacity: 2 },
  { name: 'gpu', capacity: 200 },
);
await client.reserve(
  { resource: 'Desk1', requester: 'alice', ttlSeconds: 3600 },
  { resource: 'Room', requester: 'bob', ttlSeconds: 1800 },
  { resource: 'printers', requester: 'carol', resourceType: 'print job' },
  { resource: 'deploy-lock', requester: 'ci-runner-4', ttlSeconds: 120 },
  { resource: 'Desk1', requester: 'mallory' },
  ...Array.from({ length: 7 }, (_, i) => ({ resource: 'gpu', requester: `training-${i}`, ttlSeconds: 86_400 })),
);

for (const colorScheme of ['light', 'dark'] as const)
  for (const [size, width] of Object.entries(WIDTHS)) {
    const page = await signIn({ colorScheme, viewport: { width, height: 800 } });
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(`${url}/dashboard${path}`);
      if (name === 'live') {
        await page.getByText('connected', { exact: true }).waitFor();
        await client.reserve(
          { resource: `batch-${colorScheme}-${size}`, requester: 'worker' },
          { resource: 'Desk1', requester: 'dave' },
        );
        await client.transaction(
          'ALL_OR_NONE',
          { requestType: 'RESERVE', resource: 'left', requester: 'erin' },
          { requestType: 'RESERVE', resource: 'Desk1', requester: 'erin' },
        );
        await page.locator('#events tr').nth(2).waitFor();
      }
      await page.screenshot({ path: `${FOLDER}/${name}-${colorScheme}-${size}.png`, fullPage: true });
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out').waitFor();
    await page.screenshot({ path: `${FOLDER}/sign-in-${colorScheme}-${size}.png`, fullPage: true });
    await page.context().close();
  }
await browser.close();
service.kill();
await once(service, 'exit');
rmSync(folder, { recursive: true });
