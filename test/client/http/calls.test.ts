/** The client calls the service: each kind of call, its results and its errors, against the real service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HoldfastError } from '../../../packages/client/src/errors.ts';
import type { Api } from '../../../packages/client/src/http/api.ts';
import { createApi } from '../../../packages/client/src/http/createApi.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let service: Instance;
let api: Api;
beforeAll(async () => {
  service = await startInstance();
  api = createApi(service);
});
afterAll(() => service.stop());

describe('calls of one item', () => {
  it('reserve, renew, check, release and cancel', async () => {
    const mine = { resource: 'printer', requester: 'ann' };
    const before = performance.now();
    const { result, sentAt, repeated } = await api.reserve({ ...mine, ttlSeconds: 60 });
    expect(result).toMatchObject({ ...mine, status: 'ACQUIRED' });
    expect(repeated).toBe(false);
    expect(sentAt).toBeGreaterThanOrEqual(before);
    expect(sentAt).toBeLessThan(performance.now());

    const releaseToken = result.releaseToken ?? '';
    const renewed = await api.renew({ ...mine, releaseToken, ttlSeconds: 90 });
    expect(renewed.result.status).toBe('RENEWED');
    expect((await api.check({ resource: 'printer' })).result).toMatchObject({ reserved: true, requester: 'ann' });
    expect((await api.unreserve({ ...mine, releaseToken })).result.status).toBe('RELINQUISHED');
    expect((await api.cancel(mine)).result.status).toBe('NOT_WAITING');
  });

  it('have whole results, although their responses leave out what the client knows', async () => {
    const item = { resource: 'press', requester: 'ann', ttlSeconds: 60 };
    const whole = (await service.reserve({ ...item, resource: 'other' })).body[0];
    const reserved = (await api.reserve(item)).result;
    const { releaseToken, expiresAt, fencingToken } = reserved;
    expect(reserved).toEqual({ ...whole, resource: 'press', releaseToken, expiresAt, fencingToken });
    const proof = { resource: 'press', requester: 'ann', releaseToken: releaseToken ?? '' };
    const same = { resource: 'press', requester: 'ann' };
    const renewed = (await api.renew({ ...proof, ttlSeconds: 60 })).result;
    expect(renewed).toEqual({ ...same, status: 'RENEWED', explanation: 'RENEWED', expiresAt: expect.any(String) });
    const released = { ...same, status: 'RELINQUISHED', explanation: 'RELINQUISHED', released: ['press'] };
    expect((await api.unreserve(proof)).result).toEqual(released);
    const none = { ...same, status: 'NOT_RESERVED', explanation: 'NOT_RESERVED' };
    expect((await api.unreserve(proof)).result).toEqual({ ...none, released: null });
    expect((await api.renew({ ...proof, ttlSeconds: 60 })).result).toEqual({ ...none, expiresAt: null });
  });

  it('say in a result who holds what was asked for', async () => {
    await api.reserve({ resource: 'scanner', requester: 'ann', note: 'inventory' });
    const { result } = await api.reserve({ resource: 'scanner', requester: 'bob' });
    expect(result).toMatchObject({ status: 'ALREADY_HELD', heldBy: { requester: 'ann', note: 'inventory' } });
  });

  it('give a wrong token its own result', async () => {
    const { result } = await api.reserve({ resource: 'plotter', requester: 'ann' });
    const releaseToken = result.releaseToken ?? '';
    const answers = await Promise.all([
      api.unreserve({ resource: 'plotter', requester: 'ann', releaseToken: crypto.randomUUID() }),
      api.unreserve({ resource: 'plotter', requester: 'ann', releaseToken }),
    ]);
    expect(answers.map((answer) => answer.result.explanation)).toEqual(['INVALID_RELEASE_TOKEN', 'RELINQUISHED']);
  });
});

describe('other requests', () => {
  it('have a query, a body and an Idempotency-Key', async () => {
    const body = [{ name: 'Room', capacity: 2, labels: { floor: '1' } }];
    await api.request({ method: 'POST', path: '/Resource/register', body });
    const listed = await api.request<{ name: string }[]>({
      method: 'GET',
      path: '/Resource/definitions',
      query: { label: 'floor=1', requester: undefined },
    });
    expect(listed.result.map(({ name }) => name)).toEqual(['Room']);

    const begin = {
      method: 'POST',
      path: '/Session',
      body: { requester: 'ann', ttlSeconds: 30 },
      has: 'token',
      idempotencyKey: crypto.randomUUID(),
    } as const;
    const [first, second] = [await api.request(begin), await api.request(begin)];
    expect(second.result).toEqual(first.result);
  });

  it('open a response whose body is read as it comes', async () => {
    const response = await api.open('/events');
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(': open');
    await reader?.cancel();
  });
});

describe('errors', () => {
  const errorOf = async (call: Promise<unknown>): Promise<HoldfastError> => {
    const error = await call.catch((thrown: unknown) => thrown);
    if (error instanceof HoldfastError) return error;
    throw new Error('no HoldfastError was thrown', { cause: error });
  };

  it('of a malformed request have the code of the header, the message and the id of the request', async () => {
    const error = await errorOf(api.reserve({ resource: 'printer', requester: 'system:x' }));
    expect(error).toMatchObject({ code: 'MALFORMED_REQUEST', status: 400 });
    expect(error.message).toContain('[0].requester');
    expect(service.logged.join()).toContain(error.requestId);
  });

  it('of a key, a path and an unknown name have the code of the body', async () => {
    const stranger = createApi({ url: service.url, key: 'hf_nobody_00000000000000000000000000000000' });
    expect(await errorOf(stranger.check({ resource: 'x' }))).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    const unknown = await errorOf(stranger.open('/events'));
    expect(unknown.code).toBe('UNAUTHENTICATED');
    expect(await errorOf(api.request({ method: 'GET', path: '/nothing' }))).toMatchObject({ code: 'PATH_NOT_FOUND' });
    const missing = errorOf(api.request({ method: 'DELETE', path: '/Resource/nothing' }));
    expect(await missing).toMatchObject({ code: 'NOT_REGISTERED', status: 404 });
  });

  it('never have the key', async () => {
    const key = 'hf_secret_00000000000000000000000000000000';
    const errors = [
      await errorOf(createApi({ url: service.url, key }).check({ resource: 'x' })),
      await errorOf(createApi({ url: service.url, key: () => `${key}\n` }).check({ resource: 'x' })),
      await errorOf(createApi({ url: 'http://127.0.0.1:1', key }).check({ resource: 'x' }, { deadline: 0 })),
    ];
    expect(errors.map(({ code }) => code)).toEqual(['UNAUTHENTICATED', 'INVALID_OPTION', 'UNREACHABLE']);
    for (const error of errors) {
      for (let at: unknown = error; at instanceof Error; at = at.cause) {
        expect(`${at.stack} ${JSON.stringify(at)}`).not.toContain('hf_secret');
      }
    }
  });

  it('of an address that is none say so when the client is made', () => {
    for (const url of ['nowhere', 'ftp://127.0.0.1', 'http://user:hunter2@127.0.0.1']) {
      expect(() => createApi({ url, key: 'k' })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
      expect(() => createApi({ url, key: 'k' })).not.toThrow('hunter2');
    }
  });
});
