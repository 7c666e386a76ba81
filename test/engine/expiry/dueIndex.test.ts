/**
 * The due index: it has each tenant no later than the end of its earliest lease.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Credential } from '../../../src/domain/tenants.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { reconcile } from '../../../src/engine/expiry/reconcile.ts';
import { sweep } from '../../../src/engine/expiry/sweep.ts';
import { expiryKey, expiryShard, keysOf, keysOfRequest } from '../../../src/redis/keys.ts';
import { runScript } from '../../../src/redis/scripts.ts';
import { setClock } from '../../support/clock.ts';
import type { RunningEngine } from '../../support/engine.ts';
import { countOf, dueIndexed, looking, startOnOwn, useExpiry } from '../../support/expiry.ts';
import { reserve } from '../../support/verbs.ts';

useExpiry();

/** One call of the script of a reserve, of one item by the requester r. */
const reserveStep = (engine: Engine, credential: Credential, dueIndexed: string, resource: string, leaseMs: number) => {
  const keys = keysOfRequest('reserve', credential);
  return runScript(
    engine.redis,
    'reserve',
    ...keys,
    credential.credentialKey,
    dueIndexed === '' ? '' : `i${dueIndexed};`,
    resource,
    'r',
    'x'.repeat(22),
    leaseMs,
  );
};

describe('the due index', () => {
  let running: RunningEngine;
  let tenant: string;
  const start = Date.now();
  beforeAll(async () => {
    running = await startOnOwn();
    tenant = running.credential.tenant;
    await setClock(running.engine.redis, tenant, start);
  });
  afterAll(() => running.stop());

  test('does not know a tenant without leases', async () => {
    await reserve(running.engine, running.credential, [{ resource: 'a', requester: 'r' }]);
    expect(await dueIndexed(tenant)).toBeNull();
  });

  test('holds a tenant at the time of its earliest lease, written before the lease is', async () => {
    const { engine, credential } = running;
    await reserve(engine, credential, [{ resource: 'b', requester: 'r', ttlSeconds: 600 }]);
    expect(Number(await dueIndexed(tenant))).toBe(start + 600_000);
    // A reserve with a shorter lease has to write the due index first, and does nothing until then.
    expect(await reserveStep(engine, credential, '', 'c', 60_000)).toEqual(['DUE_INDEX', start + 60_000, 0]);
    expect(await looking.hexists(`{${tenant}}:slots`, 'c')).toBe(0);
    await reserve(engine, credential, [{ resource: 'c', requester: 'r', ttlSeconds: 60 }]);
    expect(Number(await dueIndexed(tenant))).toBe(start + 60_000);
    // A longer one need not.
    await reserve(engine, credential, [{ resource: 'd', requester: 'r', ttlSeconds: 900 }]);
    expect(Number(await dueIndexed(tenant))).toBe(start + 60_000);
  });

  test('is raised by a sweep to the next lease, and a tenant with none left is taken out', async () => {
    const { engine } = running;
    const shard = expiryKey(expiryShard(tenant));
    const visit = async () => {
      await looking.zadd(shard, 1, tenant);
      await sweep(engine.redis);
    };
    await setClock(engine.redis, tenant, start + 60_000);
    await visit();
    expect(Number(await dueIndexed(tenant))).toBe(start + 600_000);
    expect(await countOf(tenant)).toBe(3);
    await setClock(engine.redis, tenant, start + 900_000);
    await visit();
    expect(await dueIndexed(tenant)).toBeNull();
    expect(await countOf(tenant)).toBe(1);
  });

  test('is left alone by a sweep that it was changed behind', async () => {
    const { engine } = running;
    const shard = expiryKey(expiryShard(tenant));
    await looking.zadd(shard, 5000, tenant);
    await runScript(engine.redis, 'lowerDueIndex', shard, tenant, 9000);
    await runScript(engine.redis, 'raiseDueIndex', shard, tenant, '5000', 9000);
    expect(Number(await dueIndexed(tenant))).toBe(4999);
    await runScript(engine.redis, 'raiseDueIndex', shard, tenant, '4999', 9000);
    expect(Number(await dueIndexed(tenant))).toBe(9000);
  });
});

describe('a lease is in the due index whatever sweeps come between the steps of its reserve', () => {
  const start = Date.now();
  const prepared = async () => {
    const running = await startOnOwn();
    const { engine, credential } = running;
    const { tenant } = credential;
    await setClock(engine.redis, tenant, start);
    await reserve(engine, credential, [{ resource: 'endless', requester: 'r' }]);
    const shard = expiryKey(expiryShard(tenant));
    const isDueIndexed = async (due: number) =>
      expect(Number((await dueIndexed(tenant)) ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(due);
    return { ...running, tenant, shard, isDueIndexed };
  };

  test('a sweep visits the tenant between the two calls', async () => {
    const { engine, credential, tenant, shard, isDueIndexed, stop } = await prepared();
    const [, ms, swept] = z
      .tuple([z.literal('DUE_INDEX'), z.number(), z.number()])
      .parse(await reserveStep(engine, credential, '', 'a', 1000));
    await runScript(engine.redis, 'lowerDueIndex', shard, tenant, ms);
    // The instance stalls, and all tenants in the due index are due: a sweep finds nothing of the tenant, and takes it
    // out.
    await looking.zadd(shard, 1, tenant);
    await sweep(engine.redis);
    expect(await dueIndexed(tenant)).toBeNull();
    expect(await reserveStep(engine, credential, `${ms} ${swept}`, 'a', 1000)).toEqual(['DUE_INDEX', ms, swept + 1]);
    await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 1 }]);
    await isDueIndexed(ms);
    stop();
  });

  test('the reserve falls between the two steps of a sweep, and the next round of it before the second call', async () => {
    const { engine, credential, tenant, shard, isDueIndexed, stop } = await prepared();
    await looking.zadd(shard, 5, tenant);
    await runScript(engine.redis, 'sweep', ...keysOf('sweep', tenant), '');
    const [, ms, swept] = z
      .tuple([z.literal('DUE_INDEX'), z.number(), z.number()])
      .parse(await reserveStep(engine, credential, '', 'a', 600_000));
    await runScript(engine.redis, 'lowerDueIndex', shard, tenant, ms);
    await runScript(engine.redis, 'raiseDueIndex', shard, tenant, '5', -1);
    await sweep(engine.redis);
    expect(await reserveStep(engine, credential, `${ms} ${swept}`, 'a', 600_000)).toEqual(['DUE_INDEX', ms, swept + 1]);
    await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 600 }]);
    await isDueIndexed(ms);
    stop();
  });
});

describe('the reconciliation', () => {
  test('puts back a tenant that the due index has lost, or has too late', async () => {
    const running = await startOnOwn();
    const { engine, credential } = running;
    const { tenant } = credential;
    const shard = expiryKey(expiryShard(tenant));
    const [result] = await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 600 }]);
    const due = Date.parse(result?.expiresAt ?? '');
    for (const lose of [() => looking.zrem(shard, tenant), () => looking.zadd(shard, due + 5000, tenant)]) {
      await lose();
      expect(await reconcile(engine.redis)).toBeGreaterThanOrEqual(1);
      expect(Number(await dueIndexed(tenant))).toBeLessThanOrEqual(due);
    }
    running.stop();
  });

  test('leaves alone what is in order', async () => {
    const running = await startOnOwn();
    const { engine, credential } = running;
    await reserve(engine, credential, [{ resource: 'a', requester: 'r', ttlSeconds: 600 }]);
    const before = await dueIndexed(credential.tenant);
    await reconcile(engine.redis);
    expect(await dueIndexed(credential.tenant)).toBe(before);
    running.stop();
  });
});
