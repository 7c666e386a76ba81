/** When the client repeats a call. A proxy before the real service makes requests fail. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../packages/client/src/http/api.ts';
import { createApi } from '../../../packages/client/src/http/createApi.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../../support/faultyProxy.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let service: Instance;
let proxy: FaultyProxy;
let api: Api;
let fresh = 0;
beforeAll(async () => {
  service = await startInstance();
  proxy = await startFaultyProxy(service.url);
  api = createApi({ url: proxy.url, key: service.key });
});
beforeEach(() => void proxy.noted.splice(0));
afterAll(() => Promise.all([service.stop(), proxy.stop()]));

const nextItem = () => ({ resource: `r${fresh++}`, requester: 'ann', ttlSeconds: 60 });
const failure = (status: number, code: string, headers: Record<string, string> = {}): Fault => ({
  status,
  headers,
  body: { error: 'as a test wants it', code },
});
const limit = (limitType: string, seconds: string): Fault => ({
  status: 429,
  headers: { 'Retry-After': seconds },
  body: { error: 'as a test wants it', code: 'LIMIT_REACHED', limitType },
});

/** A deadline so many ms from now. */
const soon = (ms: number) => ({ deadline: performance.now() + ms });

describe('a call is repeated', () => {
  it.each<[string, Fault]>([
    ['a connection that was lost', 'drop'],
    ['a 503', failure(503, 'UNAVAILABLE', { 'Retry-After': '1' })],
    ['a 503 of a proxy', { status: 503, body: '<h1>Unavailable</h1>' }],
    ['a 502 of a proxy', { status: 502, body: '<h1>Bad gateway</h1>' }],
    ['a 504 of a proxy', { status: 504, body: '<h1>Timeout</h1>' }],
    ['an overloaded instance', failure(503, 'OVERLOADED')],
    ['a 408', failure(408, 'BODY_TIMEOUT')],
  ])('after %s', async (_, fault) => {
    proxy.next(fault, fault);
    expect((await api.reserve(nextItem())).result.status).toBe('ACQUIRED');
    expect(proxy.noted.map(({ path }) => path)).toEqual(Array(3).fill('/Reservation/reserve'));
    proxy.next(fault);
    const { result } = await api.request({ method: 'GET', path: '/Resource/definitions' });
    expect(result).toEqual([]);
  });

  it('and says so if an earlier attempt may have been carried out', async () => {
    proxy.next('lose');
    expect(await api.reserve(nextItem())).toMatchObject({ result: { status: 'ALREADY_HAD' }, repeated: true });
    proxy.next(failure(503, 'OVERLOADED'));
    expect(await api.reserve(nextItem())).toMatchObject({ result: { status: 'ACQUIRED' }, repeated: false });
  });

  it('with its Idempotency-Key, so that nothing is done twice', async () => {
    proxy.next('lose');
    const idempotencyKey = crypto.randomUUID();
    const body = { requester: 'ann', ttlSeconds: 30 };
    const { repeated } = await api.request({ method: 'POST', path: '/Session', body, has: 'token', idempotencyKey });
    expect(repeated).toBe(true);
    expect(proxy.noted.map(({ headers }) => headers['idempotency-key'])).toEqual([idempotencyKey, idempotencyKey]);
    const { result } = await api.request<unknown[]>({ method: 'GET', path: '/Session' });
    expect(result).toHaveLength(1);
  });

  it('with the time at which the attempt was sent that got the answer', async () => {
    proxy.next('drop', 'drop');
    const { sentAt } = await api.reserve(nextItem());
    const [, second, third] = proxy.noted;
    expect(sentAt).toBeGreaterThan(second?.at ?? Number.NaN);
    expect(sentAt).toBeLessThanOrEqual(third?.at ?? Number.NaN);
  });

  it('after the time that a 429 says, and not before', async () => {
    const start = performance.now();
    proxy.next(limit('OperationsPerMinute', '1'));
    expect((await api.reserve(nextItem())).result.status).toBe('ACQUIRED');
    expect(proxy.noted[1]?.at).toBeGreaterThan(start + 1000);
  });

  it('after a time-out: a third of the time until its deadline, at least a second', async () => {
    proxy.next('hang');
    const item = nextItem();
    expect((await api.reserve(item, soon(2900))).result.status).toBe('ACQUIRED');
    expect(proxy.noted).toHaveLength(2);
    expect(proxy.noted[0]?.isGone).toBe(true);
  });
});

describe('a call is not repeated', () => {
  it.each([
    ['a 500', 500, 'INTERNAL'],
    ['a service that is not configured', 503, 'NOT_CONFIGURED'],
    ['a 403', 403, 'FORBIDDEN'],
    ['a 409', 409, 'IDEMPOTENCY_MISMATCH'],
  ])('after %s', async (_, status, code) => {
    proxy.next(failure(status, code));
    await expect(api.reserve(nextItem())).rejects.toMatchObject({ status, code });
    expect(proxy.noted).toHaveLength(1);
  });

  it('after a 429 whose time is beyond its deadline', async () => {
    proxy.next(limit('OperationsPerDay', '3600'));
    const error = { code: 'LIMIT_REACHED', limitType: 'OperationsPerDay', retryAfterMs: 3_600_000 };
    await expect(api.reserve(nextItem())).rejects.toMatchObject(error);
    expect(proxy.noted).toHaveLength(1);
  });

  it('after its deadline', async () => {
    const nobody = createApi({ url: 'http://127.0.0.1:1', key: service.key });
    const start = performance.now();
    const calls = [
      nobody.reserve(nextItem(), soon(300)),
      nobody.request({ method: 'GET', path: '/Session', ...soon(300) }),
    ];
    const error = {
      code: 'UNREACHABLE',
      message: 'The service could not be reached: connect ECONNREFUSED 127.0.0.1:1',
    };
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(error)));
    // Without one, calls are repeated for 30 s.
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('after a response that is none of the service', async () => {
    proxy.next({ status: 200, body: '<h1>Sign in to this network</h1>' });
    await expect(api.reserve(nextItem())).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    proxy.next({ status: 302, headers: { Location: service.url } });
    await expect(api.reserve(nextItem())).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    expect(proxy.noted).toHaveLength(2);
  });
});

describe('a call that waits', () => {
  it('is held for its pollSeconds, and continues its ticket after a lost connection', async () => {
    const item = nextItem();
    const held = await api.reserve({ ...item, requester: 'bob' });
    proxy.next('lose');
    const waiting = api.reserve({ ...item, waitSeconds: 60 }, { pollSeconds: 1 });
    expect(await waiting).toMatchObject({ result: { status: 'WAITING' }, repeated: true });
    const next = api.reserve({ ...item, waitSeconds: 60 }, { pollSeconds: 20 });
    const { resource, requester, releaseToken } = held.result;
    await api.unreserve({ resource, requester, releaseToken: releaseToken ?? '' });
    expect((await next).result).toMatchObject({ status: 'ACQUIRED' });
    expect(proxy.noted.map(({ path }) => path)).toContain('/Reservation/reserve?pollSeconds=20');
  });
});
