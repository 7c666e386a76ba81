/**
 * Derived tokens begin, renew, end and use sessions of their subject only (docs/specification.md#sessions).
 */
import { expect, test } from 'vitest';
import type { BegunSession } from '../../../src/contract/sessions.ts';
import { one, tokenFor, useTokens, withToken } from '../../support/tokens.ts';

useTokens();

const begin = async (call: ReturnType<typeof withToken>, requester?: string) =>
  call<BegunSession>('POST', '/api/v1/Session', { requester, ttlSeconds: 60 });

test('a token begins, uses, renews and ends a session of its subject, which it need not name', async () => {
  const call = withToken(await tokenFor('ann'));
  const { session, token } = (await begin(call)).body;
  const { body } = await call('POST', '/api/v1/Reservation/reserve', [{ resource: 's1', session }]);
  expect(body).toMatchObject([{ resource: 's1', requester: 'ann', status: 'ACQUIRED' }]);
  expect((await call('POST', '/api/v1/Session/renew', { session, token })).body).toMatchObject({ status: 'RENEWED' });
  const ended = await call('POST', '/api/v1/Session/end', { session, token });
  expect(ended.body).toEqual({ status: 'ENDED', released: 1 });
});

test('a token begins no session of another requester', async () => {
  expect((await begin(withToken(await tokenFor('ann')), 'bob')).status).toBe(403);
});

test('a token neither uses, renews nor ends a session of another requester', async () => {
  const begun = await one.request<BegunSession>('POST', '/api/v1/Session', { requester: 'bob', ttlSeconds: 60 });
  const { session, token } = begun.body;
  const call = withToken(await tokenFor('ann'));
  expect((await call('POST', '/api/v1/Reservation/reserve', [{ resource: 's2', session }])).status).toBe(403);
  for (const path of ['/api/v1/Session/renew', '/api/v1/Session/end'])
    expect([path, (await call('POST', path, { session, token })).status]).toEqual([path, 403]);
  expect((await one.request('POST', '/api/v1/Session/end', { session, token })).body).toMatchObject({
    status: 'ENDED',
  });
});
