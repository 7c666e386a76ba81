/**
 * GET /docs and below: the reference of the API, with the address of the service in its examples.
 */

import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closePages, startBrowser } from '../support/browser.ts';
import { startRelay } from '../support/haproxy.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { startInstance } from '../support/service.ts';

useInstance();

const PAGES = [
  'docs',
  'docs/reservation',
  'docs/session',
  'docs/booking',
  'docs/resource',
  'docs/events',
  'docs/service',
  'docs/try',
];

/** Reads a page as a caller that reached the service by another name does. */
const pageFor = (host: string, path = '/docs') =>
  new Promise<{ status: number | undefined; html: string }>((resolve, reject) => {
    const asked = request(`${holdfast.url}${path}`, { headers: { host } }, async (response) =>
      resolve({ status: response.statusCode, html: await text(response) }),
    );
    asked.on('error', reject).end();
  });

const withoutTags = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"');

describe('the pages', () => {
  test.each(PAGES)('/%s asks no other host: all that it names is served from here', async (path) => {
    const at = `${holdfast.url}/${path}`;
    const page = await fetch(at);
    expect([page.status, page.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self'; /),
    ]);
    const html = await page.text();
    const addresses = [...html.matchAll(/(?:src|href)="([^"#]+)[^"]*"/g)].map(([, address = '']) => address);
    expect(addresses.length).toBeGreaterThan(2);
    for (const address of new Set(addresses.filter((one) => !one.startsWith('data:')))) {
      expect(address).not.toMatch(/^(\w+:)?\/\//);
      const { status } = await fetch(new URL(address, at));
      expect([address, status]).toEqual([address, 200]);
    }
  });

  test.each([...PAGES, 'openapi.json', 'docs/origin.js', 'docs/swagger-ui.css'])(
    '/%s: no browser guesses what it is',
    async (path) => {
      const { status, headers } = await fetch(`${holdfast.url}/${path}`);
      expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
    },
  );

  test('lead to sections that exist', async () => {
    const htmls = new Map<string, string>();
    for (const path of PAGES) htmls.set(`/${path}`, await (await fetch(`${holdfast.url}/${path}`)).text());
    for (const [path, html] of htmls)
      for (const [, address = ''] of html.matchAll(/href="([^"]*#[^"]+)"/g)) {
        const { pathname, hash } = new URL(address, holdfast.url + path);
        expect([address, htmls.get(pathname)?.includes(` id="${hash.slice(1)}"`)]).toEqual([address, true]);
      }
  });

  test('describe what this instance serves: one without a database has no keys', async () => {
    expect((await fetch(`${holdfast.url}/docs/keys`)).status).toBe(404);
    for (const path of ['docs/nothing', 'docs/', 'docs/try/'])
      expect([path, (await fetch(`${holdfast.url}/${path}`)).status]).toEqual([path, 404]);
    const { html } = await pageFor('localhost');
    expect(html).not.toContain('Make an API key');
  });
});

describe('what instances serve to anybody is compressed, and sent once to each client', () => {
  const PATHS = ['openapi.json', 'docs', 'docs/reservation', 'docs/swagger-ui-bundle.js', 'docs/reference.css'];

  /** Reads as a client that takes these encodings. Node's own takes all of them. */
  const read = (path: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
      request(`${holdfast.url}/${path}`, { headers }, async (response) =>
        resolve({ status: response.statusCode, headers: response.headers, body: await buffer(response) }),
      )
        .on('error', reject)
        .end();
    });

  test.each(PATHS)('/%s', async (path) => {
    const plain = await read(path, {});
    expect(plain.headers['content-encoding']).toBeUndefined();
    const compressed = await read(path, { 'Accept-Encoding': 'br, gzip;q=0.9' });
    expect([compressed.headers['content-encoding'], compressed.headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
    expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
    expect(compressed.body.length).toBeLessThan(plain.body.length / 2);
    for (const { headers } of [plain, compressed]) {
      const again = await read(path, { 'If-None-Match': String(headers.etag), 'Accept-Encoding': 'gzip' });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, expect.stringContaining('"')]);
    }
    expect((await read(path, { 'Accept-Encoding': 'gzip;q=0' })).body.equals(plain.body)).toBe(true);
    expect((await read(path, { 'If-None-Match': '"another"' })).status).toBe(200);
  });

  test('a page is another one at another address', async () => {
    const { headers } = await read('docs', {});
    const elsewhere = await read('docs', { 'If-None-Match': String(headers.etag), Host: 'elsewhere.example' });
    expect([elsewhere.status, elsewhere.body.toString()]).toEqual([200, expect.stringContaining('elsewhere.example')]);
  });
});

describe('the examples', () => {
  test('name the address by which the caller reached the service', async () => {
    const { html } = await pageFor('holdfast.internal:8081', '/docs/reservation');
    expect(withoutTags(html)).toContain('curl -s http://holdfast.internal:8081/api/v1/Reservation/reserve');
    expect(html).not.toContain('localhost:8080');
  });

  test('name PUBLIC_URL if it is set, and no script changes that', async () => {
    const PUBLIC_URL = 'https://locks.example.com';
    const behind = await startInstance({ env: { PUBLIC_URL } });
    const html = await (await fetch(`${behind.url}/docs`)).text();
    expect(withoutTags(html)).toContain(`curl -s ${PUBLIC_URL}/api/v1/Reservation/reserve`);
    expect(html).not.toContain(behind.url);
    expect(await (await fetch(`${behind.url}/docs/origin.js`)).text()).toBe('');
    await behind.stop();
  });

  test.each(['a"><script>alert(1)</script>', 'a<b', "a'b", 'a b'])('contain nothing of the host %s', async (host) => {
    const { status, html } = await pageFor(host);
    expect([status, html.includes(host)]).toEqual([400, false]);
  });

  test('are carried out as they stand: the first three calls', async () => {
    const { html } = await pageFor(new URL(holdfast.url).host);
    expect(withoutTags(html)).toContain(`-d '[{"resource": "printer", "requester": "worker-1", "ttlSeconds": 60}]'`);
    const { body } = await holdfast.reserve({ resource: 'printer', requester: 'worker-1', ttlSeconds: 60 });
    expect(body[0]?.status).toBe('ACQUIRED');
  });
});

describe('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => closePages(browser));

  test('can be read without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${holdfast.url}/docs`);
    expect(await page.getByText('curl -s').first().textContent()).toContain(
      `${holdfast.url}/api/v1/Reservation/reserve`,
    );
    await page.getByRole('link', { name: 'Renew leases' }).click();
    await page.getByRole('heading', { name: 'Renew leases' }).waitFor();
    await context.close();
  });

  test('examples name the address that the browser knows, behind a proxy', async () => {
    const relay = await startRelay(holdfast);
    const page = await browser.newPage();
    // A proxy that replaces the Host header, as many do.
    await page.route(`${relay.url}/**`, async (route) => {
      const { pathname } = new URL(route.request().url());
      await route.fulfill({ response: await route.fetch({ url: holdfast.url + pathname }) });
    });
    await page.goto(`${relay.url}/docs/session`);
    await expect
      .poll(async () => page.getByText('curl -s').first().textContent())
      .toContain(`curl -s ${relay.url}/api/v1/Session`);
    await page.close();
    await relay.stop();
  });
});
