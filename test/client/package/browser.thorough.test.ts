/**
 * The library in a real browser. The service sends no CORS headers, so the page and the API have one origin: a server
 * of the page that passes /api on, as a user's own would.
 */
import { createServer, request as httpRequest } from 'node:http';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Holdfast, Mirror } from '../../../packages/client/src/index.ts';
import { closePages, startBrowser } from '../../support/browser.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let service: Instance;
let browser: Browser;
let site: { readonly url: string; stop(): Promise<void> };
let page: Page;
beforeAll(async () => {
  [service, browser] = await Promise.all([startInstance(), startBrowser()]);
  site = await serve(service.url);
});
afterAll(async () => {
  await closePages(browser);
  await site.stop();
  await service.stop();
});
beforeEach(async () => {
  await service.reset();
  page = await browser.newPage();
  await page.goto(site.url);
  await page.evaluate(`globalThis.holdfast = new Holdfast({ url: location.origin, key: '${service.key}' })`);
});

describe('in a page', () => {
  it('reserves, waits for its turn, and releases', async () => {
    const held = await page.evaluate(async () => {
      const other = await holdfast.reserve('printer');
      const waiting = holdfast.using('printer', { wait: '10s' }, async (hold, signal) => [
        hold.requester,
        signal.aborted,
      ]);
      await new Promise<void>((resolve) => {
        const look = async () => ((await holdfast.waiting()).length > 0 ? resolve() : void look());
        void look();
      });
      await other.release();
      return [holdfast.requester, await waiting, await holdfast.active()];
    });
    expect(held).toEqual([expect.stringMatching(/^\w{16}$/), [`${held[0]}#2`, false], []]);
  });

  it('streams events, and mirrors what is held', async () => {
    await page.evaluate(async () => {
      const mirror = await holdfast.mirror();
      const stream = holdfast.events({ types: ['RESERVED'] });
      await stream.next();
      Object.assign(globalThis, { mirror, next: stream.next() });
    });
    await service.reserve({ resource: 'printer', requester: 'ann' });
    const seen = await page.evaluate(async () => {
      const { value } = await next;
      return [value && 'resource' in value && value.resource];
    });
    expect(seen).toEqual(['printer']);
    await page.waitForFunction(() => mirror.get('printer')[0]?.requester === 'ann');
  });

  it('goes on releasing while more calls wait than a browser has connections', async () => {
    const took = await page.evaluate(async () => {
      const mine = await holdfast.reserve('mine');
      const blocker = await holdfast.reserve('busy');
      const waits = Array.from({ length: 10 }, () => holdfast.using('busy', { wait: '30s' }, async () => {}));
      while ((await holdfast.waiting()).length < 10) await new Promise((resolve) => setTimeout(resolve, 20));
      const from = performance.now();
      await mine.release();
      const ms = performance.now() - from;
      await blocker.release();
      await Promise.all(waits);
      return ms;
    });
    // A call that waits is held for up to 10 s.
    expect(took).toBeLessThan(9000);
  });
});

const PAGE = `<!doctype html><title>A page</title>
<script type="module">import { Holdfast } from '/client.js'; globalThis.Holdfast = Holdfast;</script>`;

// Of the page.
declare const holdfast: Holdfast;
declare const mirror: Mirror;
declare const next: ReturnType<ReturnType<Holdfast['events']>['next']>;

/** Serves an empty page and the library, and passes everything else on to the service. */
async function serve(target: string): Promise<{ url: string; stop(): Promise<void> }> {
  const entryPoints = ['packages/client/src/index.ts'];
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', target: 'es2022', write: false });
  const server = createServer((request, response) => {
    const { url = '', method, headers } = request;
    if (url === '/') return void response.setHeader('Content-Type', 'text/html').end(PAGE);
    if (url === '/client.js')
      return void response.setHeader('Content-Type', 'text/javascript').end(outputFiles[0]?.text);
    const passed = httpRequest(target + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
