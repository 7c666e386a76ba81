/** The examples that use the library run as they are. */
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Holdfast } from '../../../packages/client/src/index.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let service: Instance;
let holdfast: Holdfast;
beforeAll(async () => {
  service = await startInstance();
  holdfast = new Holdfast(service);
  vi.stubEnv('HOLDFAST_URL', service.url);
  vi.stubEnv('HOLDFAST_KEY', service.key);
  vi.stubEnv('PORT', '0');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.stop();
});

const waits = () => holdfast.waiting();

describe('docs/examples/express', () => {
  it('makes a report, one caller at a time', async () => {
    const { server } = await import(String('../../../docs/examples/express/worker.mjs'));
    const { port }: AddressInfo = server.address();
    const post = () => fetch(`http://127.0.0.1:${port}/reports/may`, { method: 'POST' });
    const hold = await holdfast.reserve('report may', { note: 'by hand' });
    const answer = post();
    await expect.poll(waits).toMatchObject([{ waitsFor: 'report may' }]);
    await hold.release();
    expect(await (await answer).json()).toEqual({ saved: 'The report may' });
    expect(await holdfast.active()).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('docs/examples/nextjs', () => {
  const post = async (signal?: AbortSignal) => {
    const { POST } = await import('../../../docs/examples/nextjs/app/api/reports/[name]/route.ts');
    const request = new Request('http://localhost/api/reports/june', { method: 'POST', ...(signal && { signal }) });
    return POST(request, { params: Promise.resolve({ name: 'june' }) });
  };

  it('makes a report, one request at a time', async () => {
    const hold = await holdfast.reserve('report june');
    const answer = post();
    await expect.poll(waits).toMatchObject([{ waitsFor: 'report june' }]);
    await hold.release();
    const response = await answer;
    expect([response.status, await response.json()]).toMatchObject([200, { report: 'The report june' }]);
    expect(await holdfast.active()).toEqual([]);
  });

  it('stops waiting when the visitor leaves', async () => {
    const hold = await holdfast.reserve('report june');
    const visitor = new AbortController();
    const answer = post(visitor.signal);
    await expect.poll(waits).toMatchObject([{ waitsFor: 'report june' }]);
    visitor.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    await expect.poll(waits).toEqual([]);
    await hold.release();
  });
});
