/**
 * The Board of a tenant with 10,000 resources and almost as many reservations: what it reads and sends, and how soon a
 * change that another instance makes is on an open page. It has a Redis of its own, whose replies it measures.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type RedisServer, startRedis } from '../../scripts/redisServer.ts';
import { closePages, startBrowser } from '../support/browser.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

const COUNT = 10_000;
const BATCH = 500;
const MAX_FIRST_BYTES = 80_000;
/** Of the others. Around midnight, times have the name of their day. */
const MAX_BYTES = 90_000;
/** The most that a page reads from Redis. All resources and reservations are 2.7 MB. */
const MAX_READ_BYTES = 30_000;
/** The most CPU time of a page: ten times what it takes. To look at each pair of 10,000 takes more. */
const MAX_MS = 450;

const key = makeConfiguredKey(makeTenant(), 'ci');
let redis: RedisServer;
let one: Instance;
let other: Instance;
let browser: Browser;
let cookie = '';
const name = (i: number) => `device-${String(i).padStart(5, '0')}`;
/** Resources of the first page that nobody holds. */
const FREE = Array.from({ length: 15 }, (_, i) => 20 + i);

beforeAll(async () => {
  redis = await startRedis(() => {});
  const options = { keys: [key], redisUrl: redis.url };
  [one, other, browser] = await Promise.all([startInstance(options), startInstance(options), startBrowser()]);
  cookie = (await signIn(one.redis, key.tenant, { email: 'ann@id.example' })).cookie;
  await one.register({ name: 'building', capacity: COUNT }, { name: 'bench', capacity: 20 });
  for (let i = 0; i < COUNT; i += BATCH) {
    const part = Array.from({ length: BATCH }, (_, j) => i + j);
    await one.register(
      ...part.map((j) => ({
        name: name(j),
        treePath: 'building',
        labels: { os: j % 2 ? 'ios' : 'android', site: 'berlin' },
      })),
    );
    for (let k = 0; k < BATCH; k += 100) {
      const some = part.slice(k, k + 100).filter((j) => !FREE.includes(j));
      const held = await one.reserve(
        ...some.map((j) => ({ resource: name(j), requester: `ci-${j}`, ttlSeconds: 7200, note: `build ${j} of main` })),
      );
      expect(held.body.at(-1)).toMatchObject({ status: 'ACQUIRED' });
    }
  }
  const queue = Array.from({ length: 20 }, (_, i) => ({ resource: name(i), requester: `w${i}`, waitSeconds: 600 }));
  await one.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', queue);
}, 120_000);
afterAll(async () => {
  await closePages(browser);
  await Promise.all([one.stop(), other.stop()]);
  await redis.stop();
});

const sentByRedis = async () => Number(/total_net_output_bytes:(\d+)/.exec(await one.redis.info('stats'))?.[1]);

/**
 * The best of a few runs: ms of CPU of this process, which has the instance, and bytes read from Redis. Meanwhile all
 * resources may be read again for later pages.
 */
async function measure(search: string): Promise<{ cpuMs: number; readBytes: number; bytes: number }> {
  let best = { cpuMs: Number.POSITIVE_INFINITY, readBytes: Number.POSITIVE_INFINITY, bytes: 0 };
  for (let i = 0; i < 5 || (best.readBytes >= MAX_READ_BYTES && i < 50); i++) {
    const sentBefore = await sentByRedis();
    const before = process.cpuUsage();
    const response = await fetch(`${one.url}/dashboard${search}`, { headers: { Cookie: cookie } });
    const bytes = (await response.arrayBuffer()).byteLength;
    const { user, system } = process.cpuUsage(before);
    expect(response.status).toBe(200);
    const cpuMs = Math.min(best.cpuMs, (user + system) / 1000);
    best = { cpuMs, readBytes: Math.min(best.readBytes, (await sentByRedis()) - sentBefore), bytes };
  }
  return best;
}

async function open(at: Instance, width = 1200): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  const [cookieName = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name: cookieName, value, url: at.url }]);
  const page = await context.newPage();
  await page.goto(`${at.url}/dashboard`);
  return page;
}

const CHANGES = 120;
const textOf = (number: number): string => `live-${number}.`;

/** In the page: when each change was first in its row, in ms since 1970 UTC, and how long the slowest refresh took. */
const NOTE_WHAT_IS_SHOWN = `{
  const noted = { shown: [], slowestMs: 0 };
  const last = new Map();
  window.noted = noted;
  const { fetch } = window;
  let startMs = 0;
  window.fetch = (...options) => {
    startMs = performance.now();
    return fetch(...options);
  };
  new MutationObserver(() => {
    for (const row of document.querySelectorAll('#rows tr[data-name]')) {
      const number = Number(/live-(\\d+)\\./.exec(row.textContent)?.[1] ?? -1);
      if (number <= (last.get(row.id) ?? -1)) continue;
      last.set(row.id, number);
      noted.slowestMs = Math.max(noted.slowestMs, performance.now() - startMs);
      noted.shown.push({ row: row.dataset.name, number, atMs: Date.now() });
    }
  }).observe(document.querySelector('#rows'), { subtree: true, childList: true, characterData: true });
}`;

const Noted = z.object({
  shown: z.array(z.object({ row: z.string(), number: z.int(), atMs: z.number() })),
  slowestMs: z.number(),
});

/** Makes changes, one every so many ms, as far as the machine is fast enough. @returns how many were made */
async function inTurn(everyMs: number, isOn: (i: number) => boolean, change: (i: number) => Promise<void>) {
  const start = performance.now();
  let i = 0;
  for (; isOn(i); i++) {
    await change(i);
    await new Promise((resolve) => setTimeout(resolve, start + (i + 1) * everyMs - performance.now()));
  }
  return i;
}

async function reserve(resource: string, requester: string): Promise<() => Promise<unknown>> {
  const { status, body } = await one.reserve({ resource, requester });
  expect([status, body[0]?.status]).toEqual([200, 'ACQUIRED']);
  return () => one.unreserve({ resource, requester, releaseToken: body[0]?.releaseToken ?? '' });
}

describe('with 10,000 resources and 10,000 reservations', () => {
  test.each([
    ['the first page', ''],
    ['a search', '?q=device-099'],
    ['a label', '?label=os%3Dios'],
    ['free only', '?free=1'],
    ['mine', '?mine=1'],
    ['expiring soon', '?expiring=1'],
    ['not registered', '?unregistered=1'],
    ['a late page', '?page=180'],
  ])('%s is short, and read in part', async (title, search) => {
    const { cpuMs, readBytes, bytes } = await measure(search);
    process.stdout.write(`${title}: ${Math.round(cpuMs)} ms of CPU, ${readBytes} bytes read, ${bytes} bytes\n`);
    expect(bytes).toBeLessThan(search === '' ? MAX_FIRST_BYTES : MAX_BYTES);
    expect(readBytes).toBeLessThan(MAX_READ_BYTES);
    expect(cpuMs).toBeLessThan(MAX_MS);
  });

  test('99 of 100 changes are on the page of another instance within a second, at 100 changes a second', async () => {
    const page = await open(other);
    await page
      .locator(`tr[data-name="${name(FREE[0] ?? 0)}"]`)
      .getByText('free')
      .waitFor();
    await page.evaluate(NOTE_WHAT_IS_SHOWN);
    const start = performance.now();
    let isOn = true;
    const load = Array.from({ length: 6 }, (_, i) =>
      inTurn(
        200,
        () => isOn,
        async (j) => {
          const release = await reserve(`load-${i}-${j}`, 'load');
          await release();
        },
      ),
    );
    const release = new Map<string, () => Promise<unknown>>();
    const changes: { readonly row: string; readonly number: number; readonly atMs: number }[] = [];
    await inTurn(
      50,
      (number) => number < CHANGES,
      async (number) => {
        const row = name(FREE[number % FREE.length] ?? 0);
        await release.get(row)?.();
        changes.push({ row, number, atMs: Date.now() });
        release.set(row, await reserve(row, textOf(number)));
      },
    );
    isOn = false;
    const made = 2 * (changes.length + (await Promise.all(load)).reduce((sum, count) => sum + count));
    const perSecond = Math.round((1000 * made) / (performance.now() - start));
    for (const { row, number } of changes.slice(-FREE.length))
      await page.locator(`tr[data-name="${row}"] .state`, { hasText: textOf(number) }).waitFor({ timeout: 100_000 });
    const { shown, slowestMs } = Noted.parse(await page.evaluate('window.noted'));
    const delays = changes
      .map(({ row, number, atMs }) => (shown.find((one) => one.row === row && one.number >= number)?.atMs ?? 0) - atMs)
      .sort((one, other) => one - other);
    const [p50 = 0, p99 = 0, most = 0] = [0.5, 0.99, 1].map((share) => delays[Math.ceil(share * delays.length) - 1]);
    process.stdout.write(
      `at ${perSecond} changes a second they are shown after ${p50} ms (p50), ${p99} ms (p99), ${most} ms at most; ` +
        `a refresh takes at most ${Math.round(slowestMs)} ms\n`,
    );
    expect(delays[0]).toBeGreaterThan(0);
    // On a machine so slow that three refreshes take longer, it takes three.
    expect(p99).toBeLessThan(Math.max(1000, 4 * slowestMs));
    await page.context().close();
  });
});
