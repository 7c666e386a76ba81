/**
 * `npm run screenshots`: takes pictures of the dashboard for docs/, of a test lab after a week, and draws the icons of
 * the app. Starts a service and a Redis for them.
 */
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createPatientRedis } from '../src/redis/client.ts';
import { startBrowser } from '../test/support/browser.ts';
import { createClient } from '../test/support/client.ts';
import { drawAppIcons } from './appIcons.ts';
import { startRedis } from './redisServer.ts';
import { fillTestLab } from './testLab.ts';

const FOLDER = 'docs/dashboard';
const WIDE = { width: 1200, height: 800 };
/** The height of a picture, too: whole pages are too long on a phone. */
const PHONE = { width: 390, height: 1200 };
type Look = 'light' | 'dark';

/** The pictures: name, address, size, look. */
const PICTURES: readonly (readonly [string, string, typeof WIDE, Look])[] = [
  ['board', '', WIDE, 'light'],
  ['board-dark', '', WIDE, 'dark'],
  ['board-week', '?span=week', WIDE, 'light'],
  ['board-phone', '', PHONE, 'light'],
  ['not-ready', '?notready=1', WIDE, 'light'],
  ['resource', '/resources/one?name=staging', WIDE, 'light'],
  ['resource-phone-dark', '/resources/one?name=staging', PHONE, 'dark'],
  ['reservations', '/reservations', WIDE, 'light'],
  ['reservations-phone', '/reservations', PHONE, 'light'],
  ['history', '/activity', WIDE, 'light'],
  ['insight', '/insight', WIDE, 'light'],
  ['insight-dark', '/insight', WIDE, 'dark'],
  ['overview', '/overview', WIDE, 'light'],
  ['reserve-phone', '/reserve?resource=galaxy-s24', PHONE, 'light'],
  ['book-phone', '/book?resource=galaxy-s24', PHONE, 'light'],
];

const folder = mkdtempSync(join(tmpdir(), 'holdfast-screenshots-'));
const redisServer = await startRedis((line) => process.stdout.write(`${line}\n`));
const service = spawn(process.execPath, ['--import', 'tsx', 'scripts/start.ts'], {
  env: {
    ...process.env,
    PORT: '0',
    REDIS_URL: redisServer.url,
    DATABASE_URL: `pglite:${join(folder, 'data')}`,
    KEY_SECRET: 'only for pictures of the dashboard',
    LOCAL_SIGN_IN: 'true',
    LOG_LEVEL: 'info',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
/** The links that sign in, as the start prints them: one, and another after each sign-in. */
const links = on(createInterface(service.stdout), 'line');

async function nextLink(): Promise<string> {
  for (;;) {
    const [link] = /http:\S+sign-in\?token=\w+/.exec(String((await links.next()).value)) ?? [];
    if (link !== undefined) return link;
  }
}

let link = await nextLink();
const url = new URL(link).origin;
process.once('exit', () => service.kill('SIGKILL'));
const browser = await startBrowser();

/** Opens a page in a new browser context and signs in. */
async function signIn(viewport: typeof WIDE, colorScheme: Look) {
  const page = await (await browser.newContext({ viewport, colorScheme, timezoneId: 'Europe/Berlin' })).newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in on this machine' }).click();
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  link = await nextLink();
  return page;
}

const first = await signIn(WIDE, 'light');
await first.goto(`${url}/dashboard/access/keys`);
await first.getByRole('link', { name: /^Show/ }).click();
const client = createClient(url, String(await first.locator('#key-value').textContent()));
const redis = createPatientRedis(redisServer.url);
await fillTestLab(client, redis, (await client.request<{ id: string }>('GET', '/api/v1/Tenant')).body.id);
redis.disconnect();

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const [name, path, size, look] of PICTURES) {
  const page = await signIn(size, look);
  await page.goto(`${url}/dashboard${path}`);
  await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: size === WIDE });
  await page.context().close();
}
await drawAppIcons(browser);
await browser.close();
service.kill();
await once(service, 'exit');
rmSync(folder, { recursive: true });
process.exit();
