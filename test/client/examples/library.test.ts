/** The examples that use the library run as they are. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Holdfast, type MirroredReservation } from '../../../packages/client/src/index.ts';
import { type Mounted, useSyncExternalStore } from '../../support/react.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let service: Instance;
let holdfast: Holdfast;
beforeAll(async () => {
  service = await startInstance();
  holdfast = new Holdfast({ url: service.url, key: service.key });
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

describe('docs/examples/live', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    ({ server } = await import(String('../../../docs/examples/live/server.mjs')));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const states = async function* (url: string, signal: AbortSignal) {
    const { body } = await fetch(url, { signal });
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? [])
      for (const line of text.split('\n')) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6));
  };

  it('sends who has a resource, and who is next, to each browser', async () => {
    const stop = new AbortController();
    const live = states(`${url}/live/plotter`, stop.signal);
    const until = async (isSo: (state: { held: unknown[]; next: unknown[] }) => boolean) => {
      for await (const state of { [Symbol.asyncIterator]: () => ({ next: () => live.next() }) })
        if (isSo(state)) return state;
    };
    expect(await until(() => true)).toEqual({ connected: true, held: [], next: [] });
    const hold = await holdfast.reserve('plotter', { note: 'not for everybody' });
    const wait = holdfast.reserve('plotter', { wait: '1m' });
    const expiresAt = hold.expiresAt?.toISOString();
    expect(await until(({ next }) => next.length > 0)).toEqual({
      connected: true,
      held: [{ requester: holdfast.requester, expiresAt }],
      next: [`${holdfast.requester}#2`],
    });
    await hold.release();
    await (await wait).release();
    expect(await until(({ held, next }) => held.length + next.length === 0)).toMatchObject({ connected: true });
    stop.abort();
  });

  it('follows the server in a page', async () => {
    const seen: unknown[] = [];
    const effects: (() => () => void)[] = [];
    vi.stubGlobal(
      'EventSource',
      class extends EventSource {
        constructor(path: string) {
          super(url + path);
        }
      },
    );
    vi.doMock('react', () => ({
      useSyncExternalStore,
      useState: (first: unknown) => [first, (state: unknown) => seen.push(state)],
      useEffect: (effect: () => () => void) => effects.push(effect),
    }));
    const { useLive } = await import(String('../../../docs/examples/live/useHeld.mjs'));
    expect(useLive('copier')).toEqual({ connected: false, held: [], next: [] });
    const close = effects[0]?.();
    await using _ = await holdfast.reserve('copier');
    await expect.poll(() => seen.at(-1)).toMatchObject({ connected: true, held: [{ requester: holdfast.requester }] });
    close?.();
    vi.unstubAllGlobals();
  });

  it('renders what is held in a component of React', async () => {
    const { useHeld, useConnected } = await import(String('../../../docs/examples/live/useHeld.mjs'));
    const stop = new AbortController();
    const mirror = await holdfast.mirror({ signal: stop.signal });
    const component: Mounted<readonly MirroredReservation[]> = useHeld(mirror, 'plotter');
    const seen: string[] = [];
    component.render = (held) => seen.push(held.map(({ note }) => note).join());
    const connection: Mounted<boolean> = useConnected(mirror);
    const told: boolean[] = [];
    connection.render = (connected) => told.push(connected);
    await using _ = await holdfast.reserve('plotter', { note: 'map' });
    await using _other = await holdfast.reserve('scanner');
    await expect.poll(() => mirror.size).toBe(2);
    expect(seen).toEqual(['map']);
    stop.abort();
    await mirror.closed;
    expect(told).toEqual([false]);
    component.unmount();
    connection.unmount();
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
