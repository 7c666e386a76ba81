import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Instance, startInstance } from '../support/service.ts';

let holdfast: Instance;
beforeAll(async () => {
  holdfast = await startInstance();
});
afterAll(() => holdfast.stop());

const good = { resource: 'r', requester: 'q' };
const RESERVE = '/api/v1/Reservation/reserve';
const post = (body: unknown, headers = {}) => holdfast.request('POST', RESERVE, body, headers);

describe('400: a string that names the item and the field', () => {
  test.each<[string, unknown, string]>([
    ['an empty array', [], 'the request body must be an array of 1 to 500 items'],
    ['no array', {}, 'the request body must be an array of 1 to 500 items'],
    ['501 items', Array(501).fill(good), 'the request body must be an array of 1 to 500 items'],
    ['an item that is no object', [good, 7], '[1] must be an object'],
    ['no resource', [{ requester: 'q' }], '[0].resource is required'],
    ['no requester', [good, { resource: 'r' }], '[1].requester is required'],
    ['a resource that is no string', [{ ...good, resource: 7 }], '[0].resource must be a string'],
    ['an empty resource', [{ ...good, resource: '' }], '[0].resource must be 1 to 256 characters long'],
    ['257 characters', [{ ...good, resource: 'x'.repeat(257) }], '[0].resource must be 1 to 256 characters long'],
    ['a control character', [{ ...good, resource: 'a\nb' }], '[0].resource must not contain control characters'],
    ['a zero byte', [{ ...good, requester: 'a\0b' }], '[0].requester must not contain control characters'],
    ['a lone surrogate', [{ ...good, resource: '\ud800' }], '[0].resource must be well-formed Unicode'],
    ['a system requester', [{ ...good, requester: 'system:x' }], '[0].requester must not start with system:'],
    [
      'ttlSeconds 0',
      [good, good, good, { ...good, ttlSeconds: 0 }],
      '[3].ttlSeconds must be an integer greater than 0',
    ],
    ['ttlSeconds -1', [{ ...good, ttlSeconds: -1 }], '[0].ttlSeconds must be an integer greater than 0'],
    ['ttlSeconds 1.5', [{ ...good, ttlSeconds: 1.5 }], '[0].ttlSeconds must be an integer greater than 0'],
    ['ttlSeconds as text', [{ ...good, ttlSeconds: '5' }], '[0].ttlSeconds must be an integer greater than 0'],
    ['ttlSeconds null', [{ ...good, ttlSeconds: null }], '[0].ttlSeconds must be an integer greater than 0'],
    ['more than a year', [{ ...good, ttlSeconds: 31_536_001 }], '[0].ttlSeconds must be at most 31536000'],
    [
      '65 characters of type',
      [{ ...good, resourceType: 'x'.repeat(65) }],
      '[0].resourceType must be 1 to 64 characters long',
    ],
    ['no JSON', '[{"resource"', 'the request body must be valid JSON'],
    ['an empty body', '', 'the request body must be valid JSON'],
  ])('%s', async (_, body, message) => {
    expect(await post(body)).toMatchObject({ status: 400, body: message });
  });

  test('a body that is not UTF-8, rather than a name with other letters', async () => {
    const bytes = Buffer.concat([
      Buffer.from('[{"requester":"q","resource":"a'),
      Buffer.from([0xff]),
      Buffer.from('"}]'),
    ]);
    const response = await fetch(holdfast.url + RESERVE, {
      method: 'POST',
      headers: { 'X-Api-Key': holdfast.key, 'Content-Type': 'application/json' },
      body: bytes,
    });
    expect([response.status, await response.json()]).toEqual([400, 'the request body must be valid UTF-8']);
  });

  test.each<[string, unknown]>([
    ['256 characters', { ...good, resource: 'x'.repeat(256) }],
    ['256 characters outside the basic plane', { ...good, resource: '🎉'.repeat(256) }],
    ['a name with >', { ...good, resource: 'a>b' }],
    ['the longest lease', { ...good, resource: 'long', ttlSeconds: 31_536_000 }],
    ['a field that nobody knows', { ...good, resource: 'unknown', colour: 'red' }],
    ['a replacement character that was really sent', { ...good, resource: '\ufffd' }],
  ])('not %s', async (_, item) => {
    expect((await post([item])).status).toBe(200);
  });
});

describe('404, 405, 413, 415: {error}', () => {
  test('404 at a path that does not exist', async () => {
    expect(await holdfast.request('GET', '/api/v1/Nothing')).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
    expect(await holdfast.request('GET', '/nothing')).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
  });

  test('405 names the methods that are allowed', async () => {
    const answer = await holdfast.request('GET', RESERVE);
    expect(answer).toMatchObject({ status: 405, body: { error: expect.any(String) } });
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test('413 for more than 1 MiB, of declared length or not', async () => {
    const large = JSON.stringify([{ ...good, x: 'x'.repeat(1_048_576) }]);
    expect(await post(large)).toMatchObject({ status: 413, body: { error: expect.any(String) } });
    const chunked = new Blob([large]).stream();
    const response = await fetch(holdfast.url + RESERVE, {
      method: 'POST',
      headers: { 'X-Api-Key': holdfast.key, 'Content-Type': 'application/json' },
      body: chunked,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  test('a body of undeclared length is read like any other', async () => {
    const response = await fetch(holdfast.url + RESERVE, {
      method: 'POST',
      headers: { 'X-Api-Key': holdfast.key, 'Content-Type': 'application/json' },
      body: new Blob([JSON.stringify([{ ...good, resource: 'chunked' }])]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(await response.json()).toMatchObject([{ status: 'ACQUIRED' }]);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])('415 for %s', async (type) => {
    expect(await post([good], { 'Content-Type': type })).toMatchObject({
      status: 415,
      body: { error: expect.any(String) },
    });
  });

  test('application/json with parameters is JSON', async () => {
    expect((await post([good], { 'Content-Type': 'Application/JSON; charset=utf-8' })).status).toBe(200);
  });
});

describe('X-Request-Id', () => {
  test('is on every answer, and taken over from the request if sane', async () => {
    const own = await holdfast.request('GET', '/healthz', undefined, { 'X-Request-Id': 'abc-123' });
    expect(own.headers.get('x-request-id')).toBe('abc-123');
    for (const path of ['/healthz', '/nothing', RESERVE]) {
      const { headers } = await holdfast.request('GET', path, undefined, { 'X-Request-Id': 'not sane!' });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('is in the log with tenant, status and duration, and no key or token is', async () => {
    const { body } = await holdfast.reserve({ resource: 'logged', requester: 'q' });
    await holdfast.request('GET', '/api/v1/Resource/available/logged', undefined, { 'X-Request-Id': 'find-me' });
    const line = holdfast.logged.map((text) => JSON.parse(text)).find(({ requestId }) => requestId === 'find-me');
    expect(line).toMatchObject({ tenant: holdfast.tenant, method: 'GET', status: 200, durationMs: expect.any(Number) });
    const everything = holdfast.logged.join('');
    expect(everything).not.toContain(holdfast.key);
    expect(everything).not.toContain(body[0]?.releaseToken);
  });
});

describe('500', () => {
  test('tells the client nothing of the fault', async () => {
    const { redis, tenant } = holdfast;
    await redis.del(`{${tenant}}:slots`);
    await redis.set(`{${tenant}}:slots`, 'x');
    expect(await holdfast.available('r')).toMatchObject({ status: 500, body: { error: 'Internal error.' } });
    await redis.del(`{${tenant}}:slots`);
    const line = holdfast.logged.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'request failed');
    expect(line.err.message).toContain('WRONGTYPE');
    expect(Object.keys(line.err)).not.toContain('stack');
    expect(Object.keys(line.err)).not.toContain('command');
  });
});
