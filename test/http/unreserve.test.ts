import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { holdfast, useInstance } from '../support/instance.ts';

useInstance();

const held = async (resource: string, requester = 'alice') =>
  (await holdfast.reserve({ resource, requester })).body[0]?.releaseToken;

describe('unreserve with the correct token: RELINQUISHED', () => {
  test('frees the resource and lists what became free', async () => {
    const releaseToken = await held('u1');
    const { status, body } = await holdfast.unreserve({ resource: 'u1', requester: 'alice', releaseToken });
    expect(status).toBe(200);
    expect(body).toEqual([
      { resource: 'u1', requester: 'alice', status: 'RELINQUISHED', explanation: 'RELINQUISHED', released: ['u1'] },
    ]);
    expect((await holdfast.available('u1')).body).toBe(true);
  });

  test('takes the token in capital letters too', async () => {
    const releaseToken = (await held('u2'))?.toUpperCase();
    const { body } = await holdfast.unreserve({ resource: 'u2', requester: 'alice', releaseToken });
    expect(body[0]?.status).toBe('RELINQUISHED');
  });

  test('a reservation made afterwards has another token', async () => {
    const releaseToken = await held('u3');
    await holdfast.unreserve({ resource: 'u3', requester: 'alice', releaseToken });
    expect(await held('u3')).not.toBe(releaseToken);
    const { status } = await holdfast.unreserve({ resource: 'u3', requester: 'alice', releaseToken });
    expect(status).toBe(403);
  });
});

describe('unreserve of a free resource: NOT_RESERVED', () => {
  test('is a success and safe to repeat', async () => {
    const item = { resource: 'free', requester: 'alice', releaseToken: randomUUID() };
    const { status, body } = await holdfast.unreserve(item, item);
    expect(status).toBe(200);
    expect(body.map(({ status, released }) => [status, released])).toEqual([
      ['NOT_RESERVED', null],
      ['NOT_RESERVED', null],
    ]);
  });
});

describe('unreserve of what another requester holds: DOESNT_OWN_RESERVATION', () => {
  test('even with the holder’s token, and changes nothing', async () => {
    const releaseToken = await held('u4');
    const { status, body } = await holdfast.unreserve({ resource: 'u4', requester: 'bob', releaseToken });
    expect(status).toBe(200);
    expect(body[0]).toMatchObject({ status: 'DOESNT_OWN_RESERVATION', explanation: 'DOESNT_OWN_RESERVATION' });
    expect((await holdfast.available('u4')).body).toBe(false);
  });
});

describe('unreserve with an invalid or missing token: 403 with per-item results', () => {
  test.each([
    ['another UUID', randomUUID()],
    ['no UUID', 'nonsense'],
    ['an empty string', ''],
    ['null', null],
    ['a number', 7],
    ['nothing', undefined],
  ])('%s', async (name, releaseToken) => {
    const resource = `u5 ${name}`;
    await held(resource);
    const item = { resource, requester: 'alice', releaseToken };
    const { status, body } = await holdfast.request('POST', '/api/v1/Reservation/unreserve', [item]);
    expect(status).toBe(403);
    expect(body).toEqual([
      {
        resource,
        requester: 'alice',
        status: 'DOESNT_OWN_RESERVATION',
        explanation: 'INVALID_RELEASE_TOKEN',
        released: null,
      },
    ]);
    expect((await holdfast.available(resource)).body).toBe(false);
  });

  test('the other items of the batch are carried out', async () => {
    const good = await held('u6');
    await held('u7');
    const { status, body } = await holdfast.unreserve(
      { resource: 'u7', requester: 'alice', releaseToken: good },
      { resource: 'u6', requester: 'alice', releaseToken: good },
    );
    expect(status).toBe(403);
    expect(body.map(({ status }) => status)).toEqual(['DOESNT_OWN_RESERVATION', 'RELINQUISHED']);
  });
});

describe('a batch', () => {
  test('that names a reservation twice releases it once', async () => {
    const releaseToken = await held('u8');
    const item = { resource: 'u8', requester: 'alice', releaseToken };
    const { body } = await holdfast.unreserve(item, item);
    expect(body.map(({ status }) => status)).toEqual(['RELINQUISHED', 'NOT_RESERVED']);
  });
});
