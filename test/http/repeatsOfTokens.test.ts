/**
 * Repeats with derived tokens (docs/specification.md#repeating-safely): the subject counts, not the token.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { one, other, tokenFor, useTokens } from '../support/tokens.ts';

useTokens();

const send = (at: typeof one, token: string, key: string, item: object) =>
  at.request('POST', '/api/v1/Reservation/reserve', [item], { 'X-Api-Key': token, 'Idempotency-Key': key });

test('another token of the same subject repeats the request, with its requester filled in or written', async () => {
  const key = randomUUID();
  const [first, second] = [await tokenFor('ann'), await tokenFor('ann')];
  expect(second).not.toBe(first);
  const done = await send(one, first, key, { resource: 'r' });
  expect(done.body).toMatchObject([{ status: 'ACQUIRED', requester: 'ann' }]);
  for (const item of [{ resource: 'r' }, { requester: 'ann', resource: 'r' }]) {
    const again = await send(other, second, key, item);
    expect([again.body, again.headers.get('Idempotency-Replayed')]).toEqual([done.body, 'true']);
  }
});

test('a token of another subject does not, nor does a key', async () => {
  const key = randomUUID();
  const done = await send(one, await tokenFor('ann'), key, { resource: 's' });
  expect(done.status).toBe(200);
  for (const credential of [await tokenFor('bob'), one.key]) {
    const item = credential === one.key ? { resource: 's', requester: 'ann' } : { resource: 's' };
    expect((await send(other, credential, key, item)).body).toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  }
});

test('no key or token is logged', async () => {
  const key = randomUUID();
  const { body } = await one.request<[{ releaseToken: string }]>(
    'POST',
    '/api/v1/Reservation/reserve',
    [{ resource: 'quiet', requester: 'ann' }],
    { 'Idempotency-Key': key },
  );
  const log = one.logged.join('\n');
  expect(log).not.toContain(body[0].releaseToken);
  expect(log).not.toContain(one.key);
});
