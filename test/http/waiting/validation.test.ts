/**
 * Malformed requests that wait: 400, with a string that names the item and the field
 * (docs/specification.md#requests-that-wait).
 */

import { describe, expect, test } from 'vitest';
import { holdfast, useInstance } from '../../support/instance.ts';
import { startInstance } from '../../support/service.ts';

useInstance();

const RESERVE = '/api/v1/Reservation/reserve';
const TRANSACTION = '/api/v1/Reservation/transaction';
const plain = { resource: 'r', requester: 'q', ttlSeconds: 60 };
const waiting = { ...plain, waitSeconds: 60 };
const take = (resource = 'r', requester = 'q') => ({ requestType: 'RESERVE', resource, requester, ttlSeconds: 60 });
const set = (...requests: object[]) => ({ method: 'ALL_OR_NONE', waitSeconds: 60, requests });

/** The codes of some messages; that of the others is MALFORMED_REQUEST. A tenant may have a default lease. */
const CODES = [
  ['not a known field', 'UNKNOWN_FIELD'],
  ['ttlSeconds is required', 'REFUSED'],
] as const;

/** Expects that a request is refused with this text, and that nothing was done. */
async function expectRefusal(path: string, body: unknown, message: string, instance = holdfast): Promise<void> {
  const { status, headers, body: told } = await instance.request('POST', path, body);
  expect([status, told]).toEqual([400, message]);
  const [, code] = CODES.find(([part]) => message.includes(part)) ?? [];
  expect(headers.get('holdfast-error')).toBe(code ?? 'MALFORMED_REQUEST');
  expect(headers.get('holdfast-waiting')).toBeNull();
}

const SECONDS = 'waitSeconds must be an integer from 0 to 86400';
const PRIORITY = 'priority must be an integer from -100 to 100';
const CLAIM = 'claimSeconds must be an integer from 5 to 600';

/** Each fault of the three fields, with the name of the first one that is wrong. */
const FIELD_FAULTS: [string, object, string][] = [
  ['waitSeconds -1', { waitSeconds: -1 }, SECONDS],
  ['waitSeconds 86401', { waitSeconds: 86_401 }, SECONDS],
  ['waitSeconds 1.5', { waitSeconds: 1.5 }, SECONDS],
  ['waitSeconds as text', { waitSeconds: '5' }, SECONDS],
  ['waitSeconds null', { waitSeconds: null }, SECONDS],
  ['priority 101', { waitSeconds: 1, priority: 101 }, PRIORITY],
  ['priority -101', { waitSeconds: 1, priority: -101 }, PRIORITY],
  ['priority 0.5', { waitSeconds: 1, priority: 0.5 }, PRIORITY],
  ['priority as text', { waitSeconds: 1, priority: 'high' }, PRIORITY],
  ['claimSeconds 4', { waitSeconds: 1, claimSeconds: 4 }, CLAIM],
  ['claimSeconds 601', { waitSeconds: 1, claimSeconds: 601 }, CLAIM],
  ['claimSeconds 5.5', { waitSeconds: 1, claimSeconds: 5.5 }, CLAIM],
  ['priority without waitSeconds', { priority: 0 }, 'priority needs waitSeconds'],
  ['claimSeconds without waitSeconds', { claimSeconds: 10 }, 'claimSeconds needs waitSeconds'],
];

describe('a reserve item: 400', () => {
  test.each(FIELD_FAULTS)('%s', async (_, fields, message) => {
    await expectRefusal(RESERVE, [plain, { ...plain, ...fields }], `[1].${message}`);
  });

  test('that waits for a reservation without an end', async () => {
    await expectRefusal(
      RESERVE,
      [{ resource: 'r', requester: 'q', waitSeconds: 1 }],
      '[0].ttlSeconds is required where waitSeconds is more than 0',
    );
  });

  test('with a misspelt field', async () => {
    await expectRefusal(
      RESERVE,
      [{ ...plain, waitSecond: 1 }],
      '[0].waitSecond is not a known field; did you mean waitSeconds?',
    );
  });

  test('with names and labels of more than 8,192 bytes, which only items that wait have to keep to', async () => {
    const values = Array.from({ length: 16 }, (_, i) => `${i}`.padEnd(128, 'é'));
    const long = { ...waiting, resource: undefined, match: { kind: values, size: values, os: values } };
    await expectRefusal(RESERVE, [long], '[0].waitSeconds needs names, labels of at most 8192 bytes together');
    expect((await holdfast.request('POST', RESERVE, [{ ...long, waitSeconds: 0 }])).status).toBe(200);
  });

  test('that waits longer than MAX_WAIT_SECONDS', async () => {
    const strict = await startInstance({ env: { MAX_WAIT_SECONDS: '30' } });
    await expectRefusal(RESERVE, [waiting], '[0].waitSeconds must be an integer from 0 to 30', strict);
    await strict.stop();
  });
});

describe('a transaction: 400', () => {
  test.each(FIELD_FAULTS)('%s', async (_, fields, message) => {
    await expectRefusal(TRANSACTION, { method: 'FIRST', requests: [take()], ...fields }, message);
  });

  test.each<[string, unknown, string]>([
    ...(['waitSeconds', 'priority', 'claimSeconds'] as const).flatMap((field): [string, unknown, string][] => [
      [
        `${field} on an item`,
        { method: 'ALL_OR_NONE', requests: [take(), { ...take(), [field]: 10 }] },
        `requests[1].${field} must stand beside method: a transaction waits as a whole`,
      ],
      [
        `${field} on a release`,
        {
          method: 'ALL_OR_NONE',
          requests: [{ ...plain, requestType: 'UNRESERVE', ttlSeconds: undefined, [field]: 10 }],
        },
        `requests[0].${field} must stand beside method: a transaction waits as a whole`,
      ],
    ]),
    [
      'another method',
      { ...set(take()), method: 'AS_MANY_AS_POSSIBLE' },
      'method must be ALL_OR_NONE or FIRST where waitSeconds is more than 0',
    ],
    [
      'a release',
      set(take(), { requestType: 'UNRESERVE', resource: 'a', requester: 'q' }),
      'requests[1].requestType must be RESERVE where waitSeconds is more than 0',
    ],
    [
      'two requesters',
      set(take('a'), take('b', 'p')),
      'requests[1].requester must be that of the other items where waitSeconds is more than 0',
    ],
    [
      'a reservation without an end',
      set(take('a'), { ...take('b'), ttlSeconds: undefined }),
      'requests[1].ttlSeconds is required where waitSeconds is more than 0',
    ],
    [
      '21 items',
      set(...Array.from({ length: 21 }, (_, i) => take(`r${i}`))),
      'requests must hold at most 20 items where waitSeconds is more than 0',
    ],
    [
      'names of more than 8192 bytes',
      set(...Array.from({ length: 20 }, (_, i) => take(`${i}`.padEnd(256, 'é')))),
      'waitSeconds needs names of at most 8192 bytes together',
    ],
  ])('%s', async (_, body, message) => {
    await expectRefusal(TRANSACTION, body, message);
  });
});

describe('pollSeconds: 400', () => {
  test.each(['31', '-1', '1.5', 'long', '', '007'])('%j', async (pollSeconds) => {
    const message = 'pollSeconds must be an integer from 0 to 30';
    for (const [path, body] of [
      [RESERVE, [plain]],
      [TRANSACTION, { method: 'FIRST', requests: [take()] }],
    ] as const)
      await expectRefusal(`${path}?pollSeconds=${pollSeconds}`, body, message);
  });
});

describe('cancel and the list of waits: 400', () => {
  test.each<[string, unknown, string]>([
    ['no items', [], 'the request body must be an array of 1 to 500 items'],
    ['no requester', [{ resource: 'r' }], '[0].requester is required'],
    ['a system requester', [{ resource: 'r', requester: 'system:r' }], '[0].requester must not start with system:'],
    ['no resource', [{ requester: 'q' }], '[0].resource is required'],
    [
      'another field',
      [{ resource: 'r', requester: 'q', waitSeconds: 5 }],
      '[0].waitSeconds is not a known field; the known ones are requester, resource',
    ],
  ])('%s to cancel', async (_, body, message) => {
    await expectRefusal('/api/v1/Reservation/cancel', body, message);
  });

  test.each([
    ['requester=', 'requester must be 1 to 256 characters long'],
    ['resource=%00', 'resource must not contain control characters'],
  ])('%s', async (query, message) => {
    expect(await holdfast.waiting(`?${query}`)).toMatchObject({ status: 400, body: message });
  });
});

describe('not refused', () => {
  test.each<[string, string, unknown]>([
    ['a try with the fields of a wait', RESERVE, [{ ...plain, waitSeconds: 0, priority: 100, claimSeconds: 600 }]],
    ['a try without an end', RESERVE, [{ resource: 'endless', requester: 'q', waitSeconds: 0 }]],
    ['a try of any method', TRANSACTION, { ...set(take('m')), method: 'AS_MANY_AS_POSSIBLE', waitSeconds: 0 }],
    ['a try of several requesters', TRANSACTION, { ...set(take('s'), take('t', 'p')), waitSeconds: 0 }],
    ['pollSeconds 0', `${RESERVE}?pollSeconds=0`, [plain]],
    ['pollSeconds 30', `${RESERVE}?pollSeconds=30`, [plain]],
  ])('%s', async (_, path, body) => {
    const { status, headers, body: told } = await holdfast.request('POST', path, body);
    expect([told, status]).toEqual([told, 200]);
    expect(headers.get('holdfast-waiting')).toBeNull();
    expect(JSON.stringify(told)).not.toMatch(/waitedMs|"waiting"/);
  });
});
