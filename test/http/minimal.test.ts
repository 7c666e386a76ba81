/** Minimal results (docs/specification.md#minimal-results). */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DEFAULT_INSTANCE, openapiDocument } from '../../src/http/openapi/openapi.ts';
import { type Instance, startInstance } from '../support/service.ts';

let service: Instance;
beforeAll(async () => {
  service = await startInstance();
});
afterAll(() => service.stop());

const MINIMAL = { Prefer: 'return=minimal' };
const post = (verb: string, items: unknown, headers: Record<string, string> = MINIMAL) =>
  service.request<Record<string, unknown>[]>('POST', `/api/v1/Reservation/${verb}`, items, headers);

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(z.record(z.string(), z.unknown()).parse(openapiDocument(DEFAULT_INSTANCE)), 'api');

/** Returns the part of a response that contradicts the OpenAPI document; null: none. */
function contradiction(verb: string, { status, body }: { status: number; body: unknown }): string | null {
  const at = `/paths/~1api~1v1~1Reservation~1${verb}/post/responses/${status}/content/application~1json/schema`;
  const validate = ajv.getSchema(`api#${at}`);
  if (validate === undefined) return `it has no schema for ${verb} ${status}`;
  return validate(body) ? null : ajv.errorsText(validate.errors);
}

describe('the OpenAPI document describes minimal results', () => {
  it.each([MINIMAL, {}])('with %j, as well as whole ones', async (headers: Record<string, string>) => {
    await service.register({ name: 'cars', capacity: 2 });
    const items = ['desk', 'cars'].map((resource) => ({ resource, requester: 'cy' }));
    const withLease = <Item>(item: Item) => ({ ...item, ttlSeconds: 60 });
    const reserved = await post('reserve', items.map(withLease), headers);
    const proofs = items.map((item, i) => ({ ...item, releaseToken: reserved.body[i]?.releaseToken }));
    const wrong = proofs.map((proof) => ({ ...proof, releaseToken: crypto.randomUUID() }));
    const answers = [
      ['reserve', reserved],
      ['reserve', await post('reserve', [{ resource: 'desk', requester: 'dan' }], headers)],
      ['renew', await post('renew', proofs.map(withLease), headers)],
      ['renew', await post('renew', wrong.map(withLease), headers)],
      ['unreserve', await post('unreserve', wrong, headers)],
      ['unreserve', await post('unreserve', [...proofs, ...proofs], headers)],
      ['renew', await post('renew', proofs.map(withLease), headers)],
    ] as const;
    expect(answers.map(([, { status }]) => status)).toEqual([200, 200, 200, 403, 403, 200, 200]);
    for (const [verb, answer] of answers) expect(contradiction(verb, answer)).toBeNull();
  });

  it('and no others', () => {
    expect(contradiction('renew', { status: 200, body: [{ expiresAt: null }] })).toContain(
      "required property 'status'",
    );
    expect(contradiction('unreserve', { status: 200, body: [{ status: 'RENEWED' }] })).not.toBeNull();
  });
});

describe('with Prefer: return=minimal', () => {
  it('results leave out what the caller knows, and what is null', async () => {
    const item = { resource: 'printer', requester: 'ann' };
    const reserved = await post('reserve', [{ ...item, ttlSeconds: 60 }]);
    expect(reserved.headers.get('Preference-Applied')).toBe('return=minimal');
    expect(reserved.headers.get('Vary')).toBe('Prefer');
    const [first] = reserved.body;
    expect(first).toEqual({
      status: 'ACQUIRED',
      releaseToken: expect.any(String),
      expiresAt: expect.any(String),
      fencingToken: expect.any(Number),
    });
    const proof = { ...item, releaseToken: first?.releaseToken };
    const renewed = await post('renew', [{ ...proof, ttlSeconds: 90 }]);
    expect(renewed.body).toEqual([{ status: 'RENEWED', expiresAt: expect.any(String) }]);
    expect((await post('unreserve', [proof, proof])).body).toEqual([
      { status: 'RELINQUISHED' },
      { status: 'NOT_RESERVED' },
    ]);
  });

  it('results keep what says more than the item', async () => {
    await service.register(
      { name: 'pool', capacity: 2, blocks: ['ink'] },
      { name: 'phone', labels: { os: 'android' } },
    );
    const { body } = await post('reserve', [
      { resource: 'pool', requester: 'ann' },
      { match: { os: 'android' }, requester: 'ann' },
      { resource: 'ink', requester: 'bob' },
    ]);
    expect(body[0]).toMatchObject({ acquiredSlots: { pool: 'pool_0' }, acquiredBlockers: ['ink'] });
    expect(body[1]).toMatchObject({ resource: 'phone' });
    expect(body[2]).toEqual({
      status: 'ALREADY_HELD',
      heldBy: expect.objectContaining({ resource: 'ink', note: null }),
    });
    const wrong = await post('unreserve', [
      { resource: 'phone', requester: 'ann', releaseToken: crypto.randomUUID() },
      { resource: 'pool', requester: 'ann', releaseToken: body[0]?.releaseToken },
    ]);
    expect(wrong.status).toBe(403);
    expect(wrong.body).toEqual([
      { status: 'DOESNT_OWN_RESERVATION', explanation: 'INVALID_RELEASE_TOKEN' },
      { status: 'RELINQUISHED', released: ['pool_0', 'ink'] },
    ]);
  });

  it.each(['respond-async, return=minimal', 'RETURN = "minimal"; foo=1', 'wait=5,return=minimal'])(
    'is understood as %s',
    async (preference) => {
      const items = [{ resource: 'x', requester: 'ann' }];
      expect((await post('unreserve', items, { Prefer: preference })).body).toEqual([{ status: 'NOT_RESERVED' }]);
    },
  );

  it.each(['return=representation', 'x-return=minimal', 'return=minimally'])('is not %s', async (preference) => {
    const { body, headers } = await post('unreserve', [{ resource: 'x', requester: 'ann' }], { Prefer: preference });
    expect(body).toMatchObject([{ resource: 'x', requester: 'ann', released: null }]);
    expect(headers.has('Preference-Applied')).toBe(false);
  });
});
