/**
 * Malformed requests: 400, with a string that names the item and the field (docs/specification.md#errors).
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi/openapi.ts';
import { holdfast, useInstance } from '../support/instance.ts';

useInstance();

const good = { resource: 'r', requester: 'q' };
/** The fields of a reserve item. */
const KNOWN =
  'requester, resource, match, ttlSeconds, minTtlSeconds, session, resourceType, note, count, mode, condition, waitSeconds, priority, claimSeconds';
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
    ['513 bytes', [{ ...good, resource: `${'🎉'.repeat(128)}x` }], '[0].resource must be at most 512 bytes of UTF-8'],
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
    ['a misspelt field', [{ ...good, ttl: 60 }], '[0].ttl is not a known field; did you mean ttlSeconds?'],
    [
      'a field in another case',
      [good, { ...good, TTLSeconds: 1 }],
      '[1].TTLSeconds is not a known field; did you mean ttlSeconds?',
    ],
    [
      'a field misspelt that is required',
      [{ ...good, resource: undefined, resorce: 'r' }],
      '[0].resorce is not a known field; did you mean resource?',
    ],
    [
      'a field that is like no other',
      [{ ...good, colour: 'red' }],
      `[0].colour is not a known field; the known ones are ${KNOWN}`,
    ],
    [
      'a field with the name of a prototype',
      '[{"resource":"r","requester":"q","__proto__":{}}]',
      `[0].__proto__ is not a known field; the known ones are ${KNOWN}`,
    ],
    [
      'a field of 100 characters',
      [{ ...good, ['x'.repeat(100)]: 1 }],
      `[0].${'x'.repeat(64)}… is not a known field; the known ones are ${KNOWN}`,
    ],
    ['no JSON', '[{"resource"', 'the request body must be valid JSON'],
    ['an empty body', '', 'the request body must be valid JSON'],
  ])('%s', async (_, body, message) => {
    const { status, headers, body: told } = await post(body);
    expect([status, told]).toEqual([400, message]);
    const code = message.includes('not a known field') ? 'UNKNOWN_FIELD' : 'MALFORMED_REQUEST';
    expect(headers.get('holdfast-error')).toBe(code);
  });

  test('at an unknown field, on every operation', async () => {
    const items = (item: object) => [item];
    const requests = (item: object) => ({ method: 'ALL_OR_NONE', requests: [{ requestType: 'UNRESERVE', ...item }] });
    for (const [path, body, message] of [
      [
        'Reservation/unreserve',
        items({ ...good, token: 'x' }),
        '[0].token is not a known field; did you mean releaseToken?',
      ],
      [
        'Reservation/renew',
        items({ ...good, ttlSeconds: 1, ttlMs: 1 }),
        '[0].ttlMs is not a known field; did you mean ttlSeconds?',
      ],
      [
        'Reservation/check',
        items({ ...good, Requester: 'q' }),
        '[0].Requester is not a known field; did you mean requester?',
      ],
      [
        'Reservation/transaction',
        requests({ ...good, release: 'x' }),
        'requests[0].release is not a known field; did you mean releaseToken?',
      ],
      [
        'Reservation/transaction',
        { ...requests(good), methods: 1 },
        'methods is not a known field; did you mean method?',
      ],
      [
        'Resource/register',
        items({ name: 'r', capcity: 2 }),
        '[0].capcity is not a known field; did you mean capacity?',
      ],
    ] as const) {
      const answer = await holdfast.request('POST', `/api/v1/${path}`, body);
      expect([path, answer.status, answer.body]).toEqual([path, 400, message]);
    }
  });

  test('but a result of a reserve call can be sent back as it is', async () => {
    const { body } = await holdfast.reserve({ resource: 'back', requester: 'q', ttlSeconds: 60 });
    const [result] = body;
    expect((await holdfast.request('POST', '/api/v1/Reservation/renew', [{ ...result, ttlSeconds: 9 }])).status).toBe(
      200,
    );
    expect((await holdfast.request('POST', '/api/v1/Reservation/unreserve', body)).body).toMatchObject([
      { status: 'RELINQUISHED' },
    ]);
  });

  test('an array that is too long is refused before its items are looked at', async () => {
    const items = `[${'{},'.repeat(20_000)}{}]`;
    expect(await post(items)).toMatchObject({
      status: 400,
      body: 'the request body must be an array of 1 to 500 items',
    });
    const blocks = `[{"name":"r","blocks":[${'0,'.repeat(30_000)}0]}]`;
    expect(await holdfast.request('POST', '/api/v1/Resource/register', blocks)).toMatchObject({
      status: 400,
      body: '[0].blocks must hold at most 64 names',
    });
  });

  test.each([
    ['items', `[${'{},'.repeat(300_000)}{}]`],
    ['depth', '['.repeat(500_000)],
    ['strings', `[${'"",'.repeat(300_000)}""]`],
  ])('more %s than any request has are refused before they are parsed', async (_, body) => {
    expect(await post(body)).toMatchObject({
      status: 400,
      body: 'the request body holds too many values: send fewer items at a time',
    });
  });

  test('however full of commas and brackets its names are, the largest request there can be is not', async () => {
    const name = (i: number) => `${String(i).padStart(3, '0')},[{\\"`.padEnd(250, '",[{');
    const items = Array.from({ length: 500 }, (_, i) => ({ resource: name(i), requester: name(i) }));
    expect((await post(items)).status).toBe(200);
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
    ['128 characters outside the basic plane', { ...good, resource: '🎉'.repeat(128) }],
    ['256 characters of two bytes', { ...good, resource: 'é'.repeat(256) }],
    ['a name with >', { ...good, resource: 'a>b' }],
    ['the longest lease', { ...good, resource: 'long', ttlSeconds: 31_536_000 }],
    ['a replacement character that was really sent', { ...good, resource: '\ufffd' }],
  ])('not %s', async (_, item) => {
    expect((await post([item])).status).toBe(200);
  });
});

/**
 * docs/openapi.json, and that it lists every operation.
 */

const Operation = z.object({ operationId: z.string() });
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

test('docs/openapi.json is current; if not, run: npm run generate', () => {
  const text = `${JSON.stringify(openapiDocument(DEFAULT_INSTANCE), null, 2)}\n`;
  expect(readFileSync('docs/openapi.json', 'utf8') === text).toBe(true);
});

test('every operation that a route declares is in the document', async () => {
  const { paths } = Document.parse(openapiDocument(DEFAULT_INSTANCE));
  const listed = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const folder = 'src/http/routes';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const declared: string[] = [];
  for (const file of files) {
    const exported: object = await import(join(process.cwd(), folder, file));
    for (const one of Object.values(exported).flat()) {
      const { data } = Operation.safeParse(one);
      if (data !== undefined) declared.push(data.operationId);
    }
  }
  expect(declared.sort()).toEqual(listed.sort());
});

/**
 * Resources and requesters may have the names of properties that every JavaScript object has.
 */

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

test('results show the slot of a pool of such a name, and of a leaf below it', async () => {
  await holdfast.register(
    ...NAMES.map((name) => ({ name, capacity: 2 })),
    ...NAMES.map((name) => ({ name: `below ${name}`, treePath: name })),
  );
  const reserve = (names: string[]) =>
    holdfast.reserve(...names.map((resource) => ({ resource, requester: '__proto__' })));
  for (const names of [NAMES, NAMES.map((name) => `below ${name}`)])
    for (const status of ['ACQUIRED', 'ALREADY_HAD']) {
      const { body } = await reserve(names);
      expect(body.map((one) => [one.status, Object.entries(one.acquiredSlots ?? {})])).toEqual(
        NAMES.map((name) => [status, [[name, `${name}_0`]]]),
      );
    }
  const { body: held } = await holdfast.active('?requester=__proto__');
  expect(held).toHaveLength(2 * NAMES.length);
  for (const { acquiredSlots } of held) expect(Object.entries(acquiredSlots ?? {})).toHaveLength(1);
  const { body: roots } = await holdfast.tree();
  expect(roots.map(({ name, available }) => [name, available]).sort()).toEqual(NAMES.map((name) => [name, 1]).sort());
});
