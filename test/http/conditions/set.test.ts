/**
 * The call that sets conditions of slots (docs/specification.md#condition).
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '../../support/client.ts';
import { free, holdfast, reserve, useInstance } from '../../support/instance.ts';
import { makeConfiguredKey, makeTenant } from '../../support/service.ts';
import { watch } from '../../support/watch.ts';

const tenant = makeTenant();
const prefixed = { ...makeConfiguredKey(tenant, 'lab'), prefix: 'lab/' };
const reserving = { ...makeConfiguredKey(tenant, 'user'), permission: 'reserve' as const };
useInstance({ keys: [makeConfiguredKey(tenant, 'main'), prefixed, reserving] });
beforeEach(async () => {
  await holdfast.reset();
  for (const { name, treePath } of (await holdfast.definitions()).body)
    if (treePath === null) await holdfast.delete(name, '?cascade=true');
  await holdfast.register({ name: 'phone1' }, { name: 'pool', capacity: 6 }, { name: 'floor', group: true });
});

const PATH = '/api/v1/Resource/condition';
const out = (resource: string, reason?: string) => ({ resource, condition: 'out' as const, reason });
const writesLeft = (headers: Headers) => Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

describe('a slot that is out of service is not handed out', () => {
  test('until it is ready again; the explanation has the reason', async () => {
    expect((await holdfast.setCondition(out('phone1', 'display dark'))).body).toEqual([
      { resource: 'phone1', condition: 'out', status: 'CHANGED', explanation: 'CHANGED' },
    ]);
    expect(await reserve('phone1')).toMatchObject({
      status: 'NOT_AVAILABLE',
      explanation: 'NOT_AVAILABLE: phone1 is out of service: display dark',
    });
    expect(await free('phone1')).toBe(false);
    await holdfast.setCondition({ resource: 'phone1', condition: 'ready' });
    expect((await reserve('phone1')).status).toBe('ACQUIRED');
  });

  test('a pool means all its slots, a slot only itself', async () => {
    await holdfast.setCondition(out('pool_0'), out('pool_1'));
    expect((await reserve('pool')).acquiredSlots).toEqual({ pool: 'pool_2' });
    await holdfast.setCondition(out('pool'));
    expect(await reserve('pool', 'bob')).toMatchObject({
      explanation: 'NOT_AVAILABLE: 6 of 6 slots are out of service',
    });
  });

  test('a condition takes nothing from a holder', async () => {
    const held = await reserve('phone1');
    await holdfast.setCondition(out('phone1'));
    expect((await reserve('phone1')).status).toBe('ALREADY_HAD');
    const { releaseToken } = held;
    const released = await holdfast.unreserve({ resource: 'phone1', requester: 'alice', releaseToken });
    expect(released.body).toMatchObject([{ status: 'RELINQUISHED', condition: 'out' }]);
    expect((await reserve('phone1')).status).toBe('NOT_AVAILABLE');
  });
});

describe('an item has its own status', () => {
  test('UNCHANGED if no slot had another condition', async () => {
    await holdfast.setCondition(out('pool_3'));
    const { body } = await holdfast.setCondition(out('pool_3'), out('pool'), {
      resource: 'phone1',
      condition: 'ready',
    });
    expect(body.map(({ status }) => status)).toEqual(['UNCHANGED', 'CHANGED', 'UNCHANGED']);
  });

  test('NOT_VALID for plain names, groups and slots that a pool does not have', async () => {
    const { status, body } = await holdfast.setCondition(out('plain'), out('floor'), out('pool_6'), out('phone1'));
    expect([status, ...body.map((one) => one.status)]).toEqual([200, 'NOT_VALID', 'NOT_VALID', 'NOT_VALID', 'CHANGED']);
    for (const { explanation } of body.slice(0, 3)) expect(explanation).toMatch(/^NOT_VALID: /);
  });
});

describe('a request is refused as a whole', () => {
  const put = (body: unknown) => holdfast.request<string>('PUT', PATH, body);

  test.each([
    ['no condition', { resource: 'phone1' }, '[0].condition is required'],
    [
      'another condition',
      { resource: 'phone1', condition: 'broken' },
      '[0].condition must be one of ready, dirty, out',
    ],
    ['an unknown field', { ...out('phone1'), note: 'x' }, '[0].note is not a known field'],
    ['a reason of 501 characters', out('phone1', 'x'.repeat(501)), '[0].reason must be at most 500 characters long'],
  ])('with %s', async (_, item, message) => {
    const { status, body } = await put([item]);
    expect(status).toBe(400);
    expect(body).toContain(message);
  });

  test('of more than 500 slots: nothing is done', async () => {
    await holdfast.register({ name: 'large', capacity: 500 });
    const refused = await put([out('large'), out('phone1')]);
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('[1].resource');
    expect(await free('large')).toBe(true);
    expect((await holdfast.setCondition(out('large'))).body).toMatchObject([{ status: 'CHANGED' }]);
  });
});

describe('a slot costs one write', () => {
  test('also those of a pool, and those that do not change', async () => {
    const before = writesLeft((await holdfast.setCondition(out('phone1'))).headers);
    const after = writesLeft((await holdfast.setCondition(out('phone1'), out('pool'))).headers);
    expect(before - after).toBe(7);
  });
});

describe('it needs the right define', () => {
  test('a key that may only reserve gets 403', async () => {
    const user = createClient(holdfast.url, reserving.key);
    expect((await user.setCondition(out('phone1'))).status).toBe(403);
  });

  test('a key with a prefix sets names that begin with it', async () => {
    await holdfast.register({ name: 'lab/phone' });
    const lab = createClient(holdfast.url, prefixed.key);
    expect((await lab.setCondition(out('lab/phone'))).status).toBe(200);
    const refused = await lab.setCondition(out('lab/phone'), out('phone1'));
    expect(refused.status).toBe(403);
    expect(await free('phone1')).toBe(true);
  });
});

describe('with dryRun=true it only says what would happen', () => {
  test('and changes nothing', async () => {
    const { body } = await holdfast.request('PUT', `${PATH}?dryRun=true`, [out('phone1'), out('plain')]);
    expect(body).toMatchObject([{ status: 'CHANGED' }, { status: 'NOT_VALID' }]);
    expect(await free('phone1')).toBe(true);
  });
});

describe('a repeat with the same Idempotency-Key is not carried out again', () => {
  test('it gets the first response', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await holdfast.request('PUT', PATH, [out('phone1')], headers);
    await holdfast.setCondition({ resource: 'phone1', condition: 'ready' });
    const second = await holdfast.request('PUT', PATH, [out('phone1')], headers);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await free('phone1')).toBe(true);
  });
});

describe('each change is an event', () => {
  test('CONDITION, with the slot, the condition, the reason and who set it', async () => {
    const subscriber = await watch(holdfast);
    await holdfast.setCondition(out('pool_1', 'fan loud'), { resource: 'phone1', condition: 'ready' });
    await holdfast.setCondition({ resource: 'pool_1', condition: 'ready' });
    const events = await subscriber.count(2);
    subscriber.close();
    const common = {
      type: 'CONDITION',
      requestType: 'CONDITION',
      resource: 'pool_1',
      requester: null,
      actor: 'key:main',
    };
    expect(events).toMatchObject([
      { ...common, explanation: 'out', reason: 'fan loud' },
      { ...common, explanation: 'ready', reason: null },
    ]);
  });
});
