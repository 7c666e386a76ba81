import { describe, expect, test } from 'vitest';
import { holdfast, useInstance } from '../support/instance.ts';

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
