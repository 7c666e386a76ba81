/**
 * Derived tokens wait and cancel for their subject alone, and with no priority above 0
 * (docs/specification.md#jwt-exchange).
 */
import { describe, expect, test } from 'vitest';
import { one, tokenFor, useTokens, withToken } from '../../support/tokens.ts';

useTokens();

const RESERVE = '/api/v1/Reservation/reserve';
const TRANSACTION = '/api/v1/Reservation/transaction';
const CANCEL = '/api/v1/Reservation/cancel';
const item = (fields: object) => ({ resource: 'r', ttlSeconds: 60, waitSeconds: 60, ...fields });
const set = (fields: object, requester?: string) => ({
  method: 'FIRST',
  waitSeconds: 60,
  requests: [{ requestType: 'RESERVE', resource: 'r', ttlSeconds: 60, requester }],
  ...fields,
});

describe('a derived token', () => {
  test('may not wait with a priority above 0', async () => {
    const call = withToken(await tokenFor('ann'));
    for (const [path, body, message] of [
      [RESERVE, [item({ priority: 0 }), item({ priority: 1 })], '[1].priority must be at most 0 with a derived token'],
      [TRANSACTION, set({ priority: 100 }), 'priority must be at most 0 with a derived token'],
    ] as const) {
      const { status, headers, body: told } = await call('POST', path, body);
      expect([status, told, headers.get('holdfast-error')]).toEqual([400, message, 'REFUSED']);
    }
    expect((await one.active('?resource=r')).body).toEqual([]);
  });

  test('may neither wait nor cancel for another requester', async () => {
    const call = withToken(await tokenFor('ann'));
    for (const [path, body] of [
      [RESERVE, [item({ requester: 'bob' })]],
      [TRANSACTION, set({}, 'bob')],
      [CANCEL, [{ resource: 'r', requester: 'bob' }]],
    ] as const)
      expect([path, (await call('POST', path, body)).status]).toEqual([path, 403]);
  });
});
