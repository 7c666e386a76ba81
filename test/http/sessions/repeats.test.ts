/**
 * Session calls with an Idempotency-Key (docs/specification.md#repeating-safely).
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BegunSession, Session } from '../../../src/contract/sessions.ts';
import { type Instance, startInstance } from '../../support/service.ts';

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance.stop());

async function twice<Body>(path: string, body: unknown) {
  const headers = { 'Idempotency-Key': randomUUID() };
  const first = await instance.request<Body>('POST', path, body, headers);
  const again = await instance.request<Body>('POST', path, body, headers);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
  return first.body;
}

describe('a session call with an Idempotency-Key is carried out once, and a repeat gets its response', () => {
  test('begin, renew and end', async () => {
    const { session, token } = await twice<BegunSession>('/api/v1/Session', { requester: 'ann', ttlSeconds: 60 });
    const { body: sessions } = await instance.request<Session[]>('GET', '/api/v1/Session');
    expect(sessions.map((one) => one.session)).toEqual([session]);
    expect(await twice('/api/v1/Session/renew', { session, token })).toMatchObject({ status: 'RENEWED' });
    await instance.reserve({ resource: 'r', requester: 'ann', session });
    expect(await twice('/api/v1/Session/end', { session, token })).toEqual({ status: 'ENDED', released: 1 });
  });
});
