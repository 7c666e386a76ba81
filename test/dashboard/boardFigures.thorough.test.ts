/**
 * The Board of a tenant with 10,000 resources and 10,000 reservations: server time, size, and how soon a change that
 * another instance makes is on an open page.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closePages, startBrowser } from '../support/browser.ts';
import { createClient } from '../support/client.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { signIn } from '../support/tenancy.ts';

const COUNT = 10_000;
const BATCH = 500;
const MAX_BYTES = 82_000;
/** The most CPU time of a page, since other processes may keep this one waiting. */
const MAX_MS = 60;
/** The same for what looks at all 10,000: about ten times what it takes. */
const MAX_WALK_MS = 800;

const key = makeConfiguredKey(makeTenant(), 'ci');
let one: Instance;
let other: Instance;
let browser: Browser;
let cookie = '';
const name = (i: number) => `device-${String(i).padStart(5, '0')}`;

beforeAll(async () => {
  [one, other, browser] = await Promise.all([
    startInstance({ keys: [key] }),
    startInstance({ keys: [key] }),
    startBrowser(),
  ]);
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
      const some = part.slice(k, k + 100);
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
});

/** The best of a few runs: ms of CPU of this process, which has the instance, and ms until the response was read. */
async function measure(search: string): Promise<{ cpuMs: number; ms: number; bytes: number }> {
  let best = { cpuMs: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY, bytes: 0 };
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    const before = process.cpuUsage();
    const response = await fetch(`${one.url}/dashboard${search}`, { headers: { Cookie: cookie } });
    const bytes = (await response.arrayBuffer()).byteLength;
    const { user, system } = process.cpuUsage(before);
    expect(response.status).toBe(200);
    const cpuMs = Math.min(best.cpuMs, (user + system) / 1000);
    best = { cpuMs, ms: Math.min(best.ms, performance.now() - start), bytes };
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

describe('with 10,000 resources and 10,000 reservations', () => {
  test.each([
    ['the first page', '', MAX_MS],
    ['a search', '?q=device-099', MAX_WALK_MS],
    ['a label', '?label=os%3Dios', MAX_MS],
    ['free only', '?free=1', MAX_WALK_MS],
    ['mine', '?mine=1', MAX_WALK_MS],
    ['expiring soon', '?expiring=1', MAX_WALK_MS],
    ['not registered', '?unregistered=1', MAX_WALK_MS],
    ['a late page', '?page=180', MAX_MS],
  ])('%s is short and soon there', async (title, search, maxMs) => {
    const { cpuMs, ms, bytes } = await measure(search);
    process.stdout.write(`${title}: ${Math.round(ms)} ms, ${Math.round(cpuMs)} ms of CPU, ${bytes} bytes\n`);
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(cpuMs).toBeLessThan(maxMs);
  });

  test('a change is on the page of another instance within a second, at 100 changes a second', async () => {
    const page = await open(other);
    const watched = page.locator('tr[data-name="bench"]');
    await watched.getByText('20 of 20 free').waitFor();
    // The page notes by itself when it shows what: the locator looks only every half second.
    await page.evaluate(`{
      window.shownAt = {};
      new MutationObserver(() => {
        const [text] = /\\d+ of 20 free/.exec(document.querySelector('tr[data-name="bench"]').textContent) ?? [];
        if (text) window.shownAt[text] ??= Date.now();
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    }`);
    let isOn = true;
    const load = (async () => {
      const caller = createClient(one.url, key.key);
      for (let i = 0; isOn; i++) {
        const start = performance.now();
        const [held] = (await caller.reserve({ resource: `load-${i}`, requester: 'load' })).body;
        if (held?.releaseToken)
          await caller.unreserve({ resource: held.resource, requester: 'load', releaseToken: held.releaseToken });
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, 20 - (performance.now() - start))));
      }
    })();
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      await one.reserve({ resource: 'bench', requester: `live-${i}` });
      const start = Date.now();
      const text = `${19 - i} of 20 free`;
      await watched.getByText(text).waitFor();
      times.push(Number(await page.evaluate(`window.shownAt['${text}']`)) - start);
    }
    isOn = false;
    await load;
    times.sort((a, b) => a - b);
    process.stdout.write(`a change is shown after ${times.join(', ')} ms\n`);
    // Browser, instances, the load and other tests share the cores of this machine. A refresh that reads all resources
    // anew takes longer, and so does the pause after it. Alone on two cores, 10 of 20 take less than half a second.
    expect(times[10]).toBeLessThan(1500);
    expect(times.at(-1)).toBeLessThan(10_000);
    await page.context().close();
  });
});
