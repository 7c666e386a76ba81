/**
 * Requests with an Idempotency-Key (docs/specification.md#repeating-safely), over HTTP: each is carried out once, and
 * its repeats get the response to the first.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReserveResult } from '../../src/contract/reservations.ts';
import type { Answer } from '../support/client.ts';
import { one, two, useTwo } from '../support/instance.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { watch } from '../support/watch.ts';

const keys = useTwo();
beforeEach(async () => {
  await one.reset();
});

const send = <Body = unknown>(
  instance: Instance,
  verb: string,
  body: unknown,
  key: string,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> =>
  instance.request<Body>('POST', `/api/v1/Reservation/${verb}`, body, { 'Idempotency-Key': key, ...headers });
const isReplayed = ({ headers }: Answer) => headers.get('Idempotency-Replayed');

const hold = async (resource: string, requester = 'ann') => {
  const [result] = (await one.reserve({ resource, requester, ttlSeconds: 60 })).body;
  return { resource, requester, releaseToken: result?.releaseToken ?? '' };
};

describe('a repeat gets the first response, with Idempotency-Replayed: true, at any instance', () => {
  const cases: Record<string, () => Promise<unknown>> = {
    reserve: async () => [{ resource: 'r', requester: 'ann', ttlSeconds: 60 }],
    unreserve: async () => [await hold('u')],
    renew: async () => [{ ...(await hold('n')), ttlSeconds: 600 }],
    transaction: async () => ({
      method: 'ALL_OR_NONE',
      requests: [
        { requestType: 'UNRESERVE', ...(await hold('a')) },
        { requestType: 'RESERVE', resource: 'b', requester: 'ann' },
      ],
    }),
    cancel: async () => {
      await hold('c');
      const waits = { resource: 'c', requester: 'bob', ttlSeconds: 60, waitSeconds: 60 };
      await one.request('POST', '/api/v1/Reservation/reserve?pollSeconds=0', [waits]);
      return [{ resource: 'c', requester: 'bob' }];
    },
    reset: async () => {
      await hold('s');
    },
  };
  test.each(Object.keys(cases))('%s', async (verb) => {
    const key = randomUUID();
    const body = await cases[verb]?.();
    const stream = await watch(two);
    const first = await send(one, verb, body, key);
    expect(first.status).toBe(200);
    expect(isReplayed(first)).toBeNull();
    const told = (await stream.count(1)).length;
    for (const instance of [two, one]) {
      const again = await send(instance, verb, body, key);
      expect(again).toMatchObject({ status: 200, body: first.body });
      expect(isReplayed(again)).toBe('true');
    }
    // Had a repeat told something, it would stand before this.
    await hold('last');
    const all = await stream.count(told + 1);
    expect(all.slice(1).map(({ resource }) => resource)).toEqual(verb === 'cancel' ? expect.anything() : ['last']);
    stream.close();
  });

  test('a release is not done twice: what somebody else holds by now stays held', async () => {
    const mine = [await hold('slot')];
    const key = randomUUID();
    const first = await send(one, 'unreserve', mine, key);
    await hold('slot', 'bob');
    expect(await send(two, 'unreserve', mine, key)).toMatchObject({ status: 200, body: first.body });
    expect((await one.check({ resource: 'slot' })).body[0]?.requester).toBe('bob');
  });

  test('a response with the status 403 of a wrong release token is repeated as it was', async () => {
    const wrong = [{ ...(await hold('guarded')), releaseToken: randomUUID() }, await hold('other')];
    const key = randomUUID();
    const first = await send(one, 'unreserve', wrong, key);
    expect(first.status).toBe(403);
    const again = await send(two, 'unreserve', wrong, key);
    expect(again).toMatchObject({ status: 403, body: first.body });
    expect(again.headers.get('Holdfast-Error')).toBe('INVALID_RELEASE_TOKEN');
  });

  test('of many that arrive together, one is carried out', async () => {
    const key = randomUUID();
    const body = [{ resource: 'together', requester: 'ann' }];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => send<ReserveResult[]>(i % 2 ? one : two, 'reserve', body, key)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(answers[0]?.body).toMatchObject([{ status: 'ACQUIRED' }]);
    expect(answers.filter((answer) => isReplayed(answer) === null)).toHaveLength(1);
  });

  test('a reset keeps what was kept', async () => {
    const key = randomUUID();
    const body = [{ resource: 'kept', requester: 'ann' }];
    const first = await send(one, 'reserve', body, key);
    await one.reset();
    expect((await send(one, 'reserve', body, key)).body).toEqual(first.body);
    expect((await one.active()).body).toEqual([]);
  });

  test('another tenant’s request under the same key is another one', async () => {
    const stranger = await startInstance();
    const key = randomUUID();
    const body = [{ resource: 'mine', requester: 'ann' }];
    await send(one, 'reserve', body, key);
    expect(isReplayed(await send(stranger, 'reserve', body, key))).toBeNull();
    await stranger.stop();
  });
});

describe('what is not kept', () => {
  test('a 400, a 401 and a 429: the repeat is carried out', async () => {
    const small = { ...makeConfiguredKey(makeTenant()), tier: 'Free' as const };
    const instance = await startInstance({ keys: [small], env: { TIERS: '{"Free": {"reservations": 1}}' } });
    const key = randomUUID();
    const body = [{ resource: 'r', requester: 'ann', ttlSeconds: 60 }];
    expect((await send(instance, 'reserve', [{ ...body[0], ttlSeconds: 0 }], key)).status).toBe(400);
    expect(
      (await send(instance, 'reserve', body, key, { 'X-Api-Key': makeConfiguredKey(small.tenant).key })).status,
    ).toBe(401);
    const [held] = (await instance.reserve({ resource: 'other', requester: 'ann' })).body;
    expect((await send(instance, 'reserve', body, key)).status).toBe(429);
    await instance.unreserve({ resource: 'other', requester: 'ann', releaseToken: held?.releaseToken ?? '' });
    const done = await send(instance, 'reserve', body, key);
    expect(done).toMatchObject({ status: 200, body: [{ status: 'ACQUIRED' }] });
    expect(isReplayed(done)).toBeNull();
    await instance.stop();
  });

  test('calls that take no key ignore it', async () => {
    const key = randomUUID();
    for (let i = 0; i < 2; i++) expect(isReplayed(await send(one, 'check', [{ resource: `r${i}` }], key))).toBeNull();
  });
});

describe('another request under the same key is a 409 IDEMPOTENCY_MISMATCH', () => {
  const body = [{ resource: 'r', requester: 'ann', ttlSeconds: 60 }];
  const first = async (query = '') => {
    const key = randomUUID();
    expect((await send(one, `reserve${query}`, body, key)).status).toBe(200);
    return key;
  };
  const MISMATCH = { status: 409, body: { code: 'IDEMPOTENCY_MISMATCH' } };

  test('another body', async () => {
    expect(await send(two, 'reserve', [{ ...body[0], ttlSeconds: 61 }], await first())).toMatchObject(MISMATCH);
  });
  test('another path', async () => {
    expect(await send(two, 'unreserve', [{ resource: 'r', requester: 'ann' }], await first())).toMatchObject(MISMATCH);
    expect(await send(two, 'reset', undefined, await first())).toMatchObject(MISMATCH);
  });
  test('another query', async () => {
    expect(await send(two, 'reserve', body, await first('?pollSeconds=1'))).toMatchObject(MISMATCH);
  });
  test('another credential', async () => {
    const both = [...keys, { ...makeConfiguredKey(one.tenant), label: 'second' }];
    const instance = await startInstance({ keys: both });
    const key = await first();
    const answer = await send(instance, 'reserve', body, key, { 'X-Api-Key': both[1]?.key ?? '' });
    expect(answer).toMatchObject(MISMATCH);
    await instance.stop();
  });
  test('nothing is done, and it has no Retry-After', async () => {
    const answer = await send(two, 'reserve', [{ resource: 'never', requester: 'ann' }], await first());
    expect(answer.headers.get('Retry-After')).toBeNull();
    expect((await one.check({ resource: 'never' })).body).toMatchObject([{ reserved: false }]);
  });
  test('the order of fields, and white space, make no other request', async () => {
    const key = await first();
    const [{ resource, requester, ttlSeconds }] = body as [(typeof body)[0] & object];
    const again = await send(two, 'reserve', JSON.stringify([{ ttlSeconds, requester, resource }], null, 2), key, {
      'Content-Type': 'application/json',
    });
    expect(isReplayed(again)).toBe('true');
  });
});

describe('the key', () => {
  test.each([
    ['empty', ''],
    ['of 129 characters', 'k'.repeat(129)],
    ['with a space', 'a b'],
    ['not ASCII', 'é'],
  ])('%s: 400, and nothing is done', async (_, key) => {
    const answer = await send(one, 'reserve', [{ resource: 'r', requester: 'ann' }], key);
    expect(answer).toMatchObject({
      status: 400,
      body: 'the header Idempotency-Key must be 1 to 128 visible ASCII characters',
    });
    expect((await send(one, 'reset', undefined, key)).status).toBe(400);
    expect((await one.check({ resource: 'r' })).body).toMatchObject([{ reserved: false }]);
  });

  test('of 128 characters, of any that is visible', async () => {
    const key = `{"*}?[]: ${randomUUID()}`.replace(' ', '').padEnd(128, '~');
    const body = [{ resource: 'odd', requester: 'ann' }];
    await send(one, 'reserve', body, key);
    expect(isReplayed(await send(two, 'reserve', body, key))).toBe('true');
  });
});

describe('what repeats cost', () => {
  test('one read, and no write; a 409 too', async () => {
    const free = { ...makeConfiguredKey(makeTenant()), tier: 'Free' as const };
    const instance = await startInstance({ keys: [free], env: { TIERS: '{"Free": {"readsPerMinute": 3}}' } });
    const key = randomUUID();
    const body = [{ resource: 'r', requester: 'ann' }];
    const first = await send(instance, 'reserve', body, key);
    expect(first.headers.get('RateLimit')).toContain('OperationsPerMinute');
    const again = await send(instance, 'reserve', body, key);
    expect(again.headers.get('RateLimit')).toMatch(/^"ReadsPerMinute";r=2;/);
    const other = await send(instance, 'reset', undefined, key);
    expect(other.status).toBe(409);
    expect(other.headers.get('RateLimit')).toMatch(/^"ReadsPerMinute";r=1;/);
    const fresh = await instance.reserve({ resource: 'x', requester: 'ann' });
    expect(fresh.headers.get('RateLimit')).toContain('"OperationsPerMinute";r=298;');
    await send(instance, 'reserve', body, key);
    expect((await send(instance, 'reserve', body, key)).status).toBe(429);
    await instance.stop();
  });
});
