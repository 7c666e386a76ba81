/**
 * Errors that have a code, and what every response of the API has in common (docs/specification.md#errors).
 */

import { describe, expect, test } from 'vitest';
import { holdfast, useInstance } from '../support/instance.ts';
import { watch } from '../support/watch.ts';

useInstance();

const good = { resource: 'r', requester: 'q' };
const RESERVE = '/api/v1/Reservation/reserve';
const post = (body: unknown, headers = {}) => holdfast.request('POST', RESERVE, body, headers);

describe('404, 405, 413, 415: {error, code}', () => {
  test('404 at a path that does not exist', async () => {
    for (const path of ['/api/v1/Nothing', '/nothing', '/api/v1/Reservation/reserve/']) {
      const { status, body } = await holdfast.request('GET', path);
      expect([path, status, body]).toEqual([
        path,
        404,
        { error: 'There is nothing at this path.', code: 'PATH_NOT_FOUND' },
      ]);
    }
  });

  test.each([
    ['POST', '/api/v1/reservation/reserve', '/api/v1/Reservation/reserve'],
    ['POST', '/API/V1/RESERVATION/RESERVE', '/api/v1/Reservation/reserve'],
    ['GET', '/api/v1/resource/Available/Printer', '/api/v1/Resource/available/Printer'],
    ['GET', '/api/v1/Resource/Definitions', '/api/v1/Resource/definitions'],
    ['DELETE', '/api/v1/resource/Printer', '/api/v1/Resource/Printer'],
    ['GET', '/Healthz', '/healthz'],
  ])('404 at %s %s: says that %s was meant', async (method, path, meant) => {
    expect(await holdfast.request(method, path, method === 'POST' ? [good] : undefined)).toMatchObject({
      status: 404,
      body: { error: `There is nothing at this path. Did you mean ${meant}?`, code: 'PATH_NOT_FOUND' },
    });
  });

  test('404 at a path of the API below that of another page: the address of the service has a path too much', async () => {
    expect(await holdfast.request('POST', `/docs${RESERVE}`, [good])).toMatchObject({
      status: 404,
      body: { error: 'There is nothing at this path.', code: 'PATH_NOT_FOUND' },
    });
  });

  test('405 names the methods that are allowed', async () => {
    const answer = await holdfast.request('GET', RESERVE);
    expect(answer).toMatchObject({ status: 405, body: { error: expect.any(String), code: 'METHOD_NOT_ALLOWED' } });
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test('413 for more than 1 MiB, of declared length or not', async () => {
    const large = JSON.stringify([{ ...good, x: 'x'.repeat(1_048_576) }]);
    const told = { error: 'The request body is larger than 1048576 bytes.', code: 'BODY_TOO_LARGE' };
    expect(await post(large)).toMatchObject({ status: 413, body: told });
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
      body: { error: expect.any(String), code: 'UNSUPPORTED_MEDIA_TYPE' },
    });
  });

  test('application/json with parameters is JSON', async () => {
    expect((await post([good], { 'Content-Type': 'Application/JSON; charset=utf-8' })).status).toBe(200);
  });
});

describe('answers of the API', () => {
  test.each([
    ['GET', '/api/v1/Resource/tree', 200],
    ['GET', '/api/v1/Nothing', 404],
    ['GET', RESERVE, 405],
    ['POST', RESERVE, 415],
    ['HEAD', '/api/v1/Resource/available/r', 200],
  ])('%s %s: no cache keeps them, and no browser guesses what they are', async (method, path, status) => {
    const answer = await holdfast.request(method, path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('a stream of events is not kept by a cache either', async () => {
    const stream = await watch(holdfast);
    expect(stream.head.toLowerCase()).toContain('cache-control: no-store, no-transform');
    expect(stream.head.toLowerCase()).toContain('x-content-type-options: nosniff');
    stream.close();
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

  test('no link of an invitation or a wallboard is in the log, also if its address is wrong', async () => {
    for (const path of ['/join/', '//join/', '/dashboard/tv/', '//dashboard/tv/', '/prefix/Dashboard/TV/'])
      await fetch(`${holdfast.url}${path}secret`, { redirect: 'manual', headers: { 'X-Request-Id': 'linked' } });
    const lines = holdfast.logged.filter((text) => text.includes('linked'));
    expect(lines).not.toEqual([]);
    expect(lines.join()).not.toContain('secret');
  });
});

describe('500', () => {
  test('tells the client nothing of the fault', async () => {
    const { redis, tenant } = holdfast;
    await redis.del(`{${tenant}}:slots`);
    await redis.set(`{${tenant}}:slots`, 'x');
    expect(await holdfast.available('r')).toMatchObject({
      status: 500,
      body: { error: 'Internal error.', code: 'INTERNAL' },
    });
    await redis.del(`{${tenant}}:slots`);
    const line = holdfast.logged.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'request failed');
    expect(line.err.message).toContain('WRONGTYPE');
    expect(line.stack.join()).toMatch(/\.[jt]s:\d+:\d+/);
    expect(holdfast.logged.join('')).not.toContain(holdfast.key);
    expect(Object.keys(line.err)).not.toContain('command');
  });
});

useInstance();

describe('what needs a database: 503 in the in-memory mode', () => {
  test.each([
    ['GET', '/api/v1/Tenant'],
    ['GET', '/api/v1/Tenant/keys'],
    ['POST', '/api/v1/Tenant/keys'],
    ['POST', '/api/v1/Tenant/keys/1/rotate'],
    ['DELETE', '/api/v1/Tenant/keys/1'],
    ['PUT', '/api/v1/Tenant/settings'],
    ['DELETE', '/api/v1/Tenant/issuers'],
  ])('%s %s, with a valid key', async (method, path) => {
    expect(await holdfast.request(method, path)).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining('configure DATABASE_URL'), code: 'NOT_CONFIGURED' },
    });
    expect((await holdfast.request(method, path, undefined, { 'X-Api-Key': '' })).status).toBe(401);
  });

  test('with an invalid key: 401, whether its tenant exists or not', async () => {
    const existing = holdfast.key.replace(/_[^_]*$/, '');
    for (const tenant of [existing, 'hf_nobody']) {
      const key = `${tenant}_${'0'.repeat(40)}`;
      const answer = await holdfast.request('GET', '/api/v1/Tenant', undefined, { 'X-Api-Key': key });
      expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    }
  });

  test.each([
    ['POST', '/api/v1/auth/token'],
    ['GET', '/api/v1/admin/tenants'],
    ['POST', '/api/v1/admin/tenants/acme/suspend'],
  ])('%s %s, without a key', async (method, path) => {
    const body = method === 'POST' ? { jwt: 'x' } : undefined;
    const answer = await holdfast.request(method, path, body, { 'X-Api-Key': '' });
    expect(answer).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining('DATABASE_URL'), code: 'NOT_CONFIGURED' },
    });
  });
});
