/** The token of a CI job that lasts longer than the token: it is exchanged again in time (docs/guides/ci.md). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { startJob } from '../../packages/client/src/ci/job.ts';

const LIFETIME_S = 900;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-renewal-'));
const file = join(folder, 'jwt');
const exchanged: string[] = [];
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    exchanged.push(z.object({ jwt: z.string() }).parse(JSON.parse(await text(request))).jwt);
    const token = { token: `hft_acme_${exchanged.length}`, requester: 'ci', expiresIn: LIFETIME_S };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(token));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
afterAll(() => {
  vi.useRealTimers();
  server.close();
  rmSync(folder, { recursive: true });
});

test('after two thirds of its life, with the JWT that the file has by then; calls go on with the old one', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  writeFileSync(file, 'first');
  const { key } = await startJob(url, { HOLDFAST_TENANT: 'acme', HOLDFAST_JWT_FILE: file });
  writeFileSync(file, 'second');
  vi.advanceTimersByTime((LIFETIME_S * 1000 * 2) / 3 - 1000);
  expect(await key()).toBe('hft_acme_1');
  expect(exchanged).toEqual(['first']);
  vi.advanceTimersByTime(2000);
  expect(await key()).toBe('hft_acme_1');
  await expect.poll(key).toBe('hft_acme_2');
  expect(exchanged).toEqual(['first', 'second']);
});

test('before a call, if it ends before that could arrive', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  writeFileSync(file, 'third');
  const { key } = await startJob(url, { HOLDFAST_TENANT: 'acme', HOLDFAST_JWT_FILE: file });
  const before = await key();
  vi.advanceTimersByTime(LIFETIME_S * 1000);
  expect(await key()).not.toBe(before);
});
