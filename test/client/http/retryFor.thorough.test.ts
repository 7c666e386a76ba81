/** Calls are repeated for a time, tell who hears of it, and say why they were given up. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Holdfast, HoldfastError, type Retry } from '../../../packages/client/src/index.ts';
import { freePort } from '../../../scripts/freePort.ts';
import { type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts';
import { type Instance, startInstance } from '../../support/service.ts';

/** Nobody listens there. */
const url = `http://127.0.0.1:${await freePort()}`;
const calls: [string, (client: Holdfast, signal?: AbortSignal) => Promise<unknown>][] = [
  ['tryReserve', (client, signal) => client.tryReserve('printer', { signal })],
  ['check', (client, signal) => client.check('printer', { signal })],
  ['active', (client, signal) => client.active({ signal })],
  ['session', (client, signal) => client.session({ signal })],
  ['mirror', (client, signal) => client.mirror({ signal })],
];

let service: Instance;
let proxy: FaultyProxy;
beforeAll(async () => {
  service = await startInstance();
  proxy = await startFaultyProxy(service.url);
});
beforeEach(() => void proxy.noted.splice(0));
afterAll(() => Promise.all([service.stop(), proxy.stop()]));

describe('retryFor', () => {
  test.concurrent.each(calls)('ends the retries of %s', async (_, call) => {
    const client = new Holdfast({ url, key: 'k', retryFor: '1s' });
    const started = performance.now();
    await expect(call(client)).rejects.toMatchObject({ code: 'UNREACHABLE' });
    // The default is 30 s.
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('of 0 means no retry', async () => {
    proxy.next('drop');
    const retries: Retry[] = [];
    const client = new Holdfast(own(retries, 0));
    await expect(client.check('printer')).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(retries).toEqual([]);
  });

  test('is no limit of a wait, which is repeated until it is over', async () => {
    proxy.next('drop', 'drop', 'drop');
    const client = new Holdfast(own([], 0));
    await using hold = await client.reserve('printer', { wait: '30s' });
    expect(hold.resource).toBe('printer');
  });

  test('is a duration', () => {
    expect(() => new Holdfast({ url, key: 'k', retryFor: 3 })).toThrow("retryFor: 3 is 3 ms; write '3s' for seconds");
  });
});

describe('onRetry', () => {
  test('hears of each repeat of a request, and why', async () => {
    const retries: Retry[] = [];
    const client = new Holdfast(own(retries));
    const busy = { status: 503, body: { error: 'Try again.', code: 'OVERLOADED' } };
    proxy.next('drop', busy);
    await client.check('printer');
    proxy.next('drop');
    await client.active();
    expect(retries.map(({ attempt, error }) => [attempt, error.code])).toEqual([
      [1, 'UNREACHABLE'],
      [2, 'OVERLOADED'],
      [1, 'UNREACHABLE'],
    ]);
    expect(retries.every(({ delayMs, error }) => delayMs >= 0 && error instanceof HoldfastError)).toBe(true);
  });
});

describe('a call that is given up after it has failed', () => {
  test.concurrent.each([
    ...calls,
    ['a wait', (client, signal) => client.reserve('printer', { wait: '1m', signal })] as (typeof calls)[number],
  ])('rejects with the reason of its signal, whose cause is the last error: %s', async (_, call) => {
    const stop = new AbortController();
    const client = new Holdfast({ url, key: 'k', onRetry: ({ attempt }) => attempt > 1 && stop.abort() });
    const error: unknown = await call(client, stop.signal).catch((reason) => reason);
    expect(error).toBe(stop.signal.reason);
    expect(error).toMatchObject({
      name: 'AbortError',
      cause: { code: 'UNREACHABLE', message: expect.stringContaining('ECONNREFUSED') },
    });
  });

  test('leaves a cause that the reason has', async () => {
    const reason = new Error('enough', { cause: 'mine' });
    const stop = new AbortController();
    const client = new Holdfast({ url, key: 'k', onRetry: () => stop.abort(reason) });
    await expect(client.check('printer', { signal: stop.signal })).rejects.toBe(reason);
    expect(reason.cause).toBe('mine');
  });
});

describe('a lease that is lost', () => {
  test('has the last error as its cause: that of a session', async () => {
    const lost = await startFaultyProxy(service.url);
    const session = await new Holdfast({ url: lost.url, key: service.key }).session({ ttl: '5s' });
    lost.target = url;
    await new Promise((resolve) => session.signal.addEventListener('abort', resolve));
    expect(session.signal.reason).toMatchObject({ code: 'LEASE_LOST', cause: { code: 'UNREACHABLE' } });
    await lost.stop();
  });
});

/** Options that note retries. */
function own(retries: Retry[], retryFor?: 0) {
  return { url: proxy.url, key: service.key, retryFor, onRetry: (retry: Retry) => void retries.push(retry) };
}
