/**
 * Requests with an Idempotency-Key: the kept replies, their time, and their size
 * (docs/specification.md#repeating-safely).
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Idempotency } from '../../../src/domain/idempotency.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import * as reserving from '../../../src/engine/reservations/reserve.ts';
import { transaction } from '../../../src/engine/reservations/transaction.ts';
import { unreserve } from '../../../src/engine/reservations/unreserve.ts';
import { cancel } from '../../../src/engine/waiting/cancel.ts';
import { setClock } from '../../support/clock.ts';
import { losingReply, type RunningEngine, startEngine } from '../../support/engine.ts';

const MINUTES = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;
// Ahead of the real clock, by which other tests' instances end leases.
const start = Date.UTC(2050, 0, 1);

let running: RunningEngine;
beforeAll(async () => {
  running = await startEngine();
  const { engine, credential } = running;
  await setClock(engine.redis, credential.tenant, start);
  await register(
    engine,
    credential,
    [{ name: 'leaf', capacity: 1, blocks: [], treePath: 'root'.padEnd(200, '-') }],
    NOW,
  );
});
afterAll(() => running.stop());

const idempotency = (key = randomUUID(), fingerprint = 'F'): Idempotency => ({
  key,
  fingerprint: fingerprint.padEnd(64, '0'),
});
const reserve = (as: Idempotency, resource = 'r', { engine, credential } = running) =>
  reserving.reserve(engine, credential, [{ resource, requester: 'ann' }], undefined, as);
const redisKey = ({ key }: Idempotency) => `{${running.credential.tenant}}:idempotency:${key}`;
const list = () => `{${running.credential.tenant}}:answers`;
/** A request whose reply has about 60 KB: each item is refused by its long path. */
const sendLong = (as: Idempotency, items = 240) =>
  reserving.reserve(
    running.engine,
    running.credential,
    Array.from({ length: items }, () => ({ resource: 'wrong>leaf', requester: 'ann' })),
    undefined,
    as,
  );

describe('an answer', () => {
  test('is kept for 10 minutes', async () => {
    const as = idempotency();
    await reserve(as);
    for (const key of [redisKey(as), list()]) {
      const left = await running.engine.redis.pttl(key);
      expect(left).toBeGreaterThan(9 * MINUTES);
      expect(left).toBeLessThanOrEqual(10 * MINUTES);
    }
    const before = await running.engine.redis.pexpire(redisKey(as), MINUTES);
    expect(before).toBe(1);
    expect(await reserve(as)).toMatchObject({ isReplayed: true });
    expect(await running.engine.redis.pttl(redisKey(as))).toBeLessThanOrEqual(MINUTES);
  });

  test('is the compact reply, with what it needs besides counted', async () => {
    const { redis } = running.engine;
    const as = idempotency();
    await reserve(as, randomUUID());
    const entry = /^\d+ (\d+) (\d+) /.exec((await redis.lindex(list(), -1)) ?? '');
    const counted = Number(entry?.[2]) - Number(entry?.[1]);
    const used = Number(await redis.call('MEMORY', 'USAGE', redisKey(as)));
    expect(counted).toBeGreaterThanOrEqual(used + (await redis.lindex(list(), -1).then((text) => text?.length ?? 0)));
    expect(await redis.strlen(redisKey(as))).toBeLessThan(300);
  });

  test('of more than 64 KiB is not kept: the request is done once, and its repeat is a 409', async () => {
    const as = idempotency();
    const { result } = await sendLong(as, 400);
    expect(result).toHaveLength(400);
    await expect(sendLong(as, 400)).rejects.toMatchObject({ code: 'notKept' });
    expect(await running.engine.redis.strlen(redisKey(as))).toBeLessThan(100);
  });

  test('survives that the instance has lost the reply: its own retry is no repeat', async () => {
    const held = await reserve(idempotency(), 'lost');
    const items = [{ resource: 'lost', requester: 'ann', releaseToken: held.result[0]?.releaseToken ?? '' }];
    const as = idempotency();
    const { result, isReplayed } = await unreserve(losingReply(running, 'unreserve'), running.credential, items, as);
    expect([result[0]?.status, isReplayed]).toEqual(['RELINQUISHED', undefined]);
    expect(await unreserve(running.engine, running.credential, items, as)).toMatchObject({ result, isReplayed: true });
  });

  test('of a transaction that hands over is there, though it was rolled back or applied', async () => {
    const { engine, credential } = running;
    for (const resource of ['free', 'wrong>leaf']) {
      const as = idempotency();
      const send = () =>
        transaction(
          engine,
          credential,
          'ALL_OR_NONE',
          [{ requestType: 'RESERVE', resource, requester: 'a' }],
          undefined,
          as,
        );
      const first = await send();
      expect(await send()).toMatchObject({ result: first.result, isReplayed: true });
    }
  });
});

describe('the answers of a tenant', () => {
  test('take 16 MiB at most: the oldest go first', async () => {
    const { redis } = running.engine;
    const sent: Idempotency[] = [];
    for (let i = 0; i < 300; i += 20) {
      const some = Array.from({ length: 20 }, () => idempotency());
      for (const as of some) await sendLong(as);
      sent.push(...some);
    }
    const sizes = await Promise.all(sent.map((as) => redis.strlen(redisKey(as))));
    const gone = sizes.lastIndexOf(0) + 1;
    expect(gone).toBeGreaterThan(5);
    expect(sizes.slice(0, gone).every((bytes) => bytes === 0)).toBe(true);
    const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
    expect(total).toBeLessThan(MAX_BYTES);
    expect(total).toBeGreaterThan(MAX_BYTES - 256 * 1024);
    expect(await redis.llen(list())).toBe(sizes.length - gone);
    // One that is gone is a new request.
    expect((await sendLong(sent[0] ?? idempotency())).isReplayed).toBeUndefined();
    expect((await sendLong(sent.at(-1) ?? idempotency())).isReplayed).toBe(true);
  });

  test('those whose time is over do not count', async () => {
    const { engine, credential } = running;
    await setClock(engine.redis, credential.tenant, start + 11 * MINUTES);
    await reserve(idempotency());
    await reserve(idempotency());
    expect(await engine.redis.llen(list())).toBeLessThan(150);
    await reserve(idempotency());
    await reserve(idempotency());
    expect(await engine.redis.llen(list())).toBeLessThanOrEqual(4);
    await setClock(engine.redis, credential.tenant, start);
  });
});

describe('a cancel in several pieces', () => {
  const tickets = async (requester: string) => {
    const { engine, credential } = running;
    const resources = Array.from({ length: 600 }, (_, i) => `${requester}-${i}`);
    for (let i = 0; i < resources.length; i += 100) {
      const some = resources.slice(i, i + 100);
      await reserving.reserve(
        engine,
        credential,
        some.map((resource) => ({ resource, requester: 'holder' })),
      );
      const call = { instance: 'test', pollMs: 0, isContinuation: false };
      const items = some.map((resource) => ({ resource, requester, ttlSeconds: 60, waitSeconds: 3600 }));
      await reserving.reserve(engine, credential, items, call);
    }
    return resources.slice(0, 500).map((resource) => ({ resource, requester }));
  };

  test('while it runs, a repeat gets an answer to wait; if its instance is lost, a repeat carries it on', async () => {
    const { engine, credential } = running;
    const items = await tickets('many');
    const as = idempotency();
    let pieces = 0;
    const dying = losingReply(running, 'cancel', async () => {
      pieces++;
      // Another instance meanwhile.
      await expect(cancel(engine, credential, items, as)).rejects.toMatchObject({ code: 'running' });
      throw new Error('killed');
    });
    await expect(cancel(dying, credential, items, as)).rejects.toThrow('killed');
    expect(pieces).toBe(1);
    await setClock(engine.redis, credential.tenant, start + 4000);
    const { result, isReplayed } = await cancel(engine, credential, items, as);
    expect(isReplayed).toBeUndefined();
    expect(result.filter(({ status }) => status !== 'CANCELLED')).toEqual([]);
    expect(await cancel(engine, credential, items, as)).toMatchObject({ isReplayed: true, result });
  });
});
