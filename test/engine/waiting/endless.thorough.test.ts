/**
 * A tenant whose queue does not come to an end takes little of Redis, and its plain requests are answered all the same
 * (docs/specification.md#waiting-order). There is no such queue: scripts that never settle one stand in for it.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../../scripts/redisServer.ts';
import { sweep } from '../../../src/engine/expiry/sweep.ts';
import { renew } from '../../../src/engine/reservations/renew.ts';
import * as engineReserve from '../../../src/engine/reservations/reserve.ts';
import { unreserve as engineUnreserve } from '../../../src/engine/reservations/unreserve.ts';
import { observeScripts } from '../../../src/redis/scripts.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { reserve, unreserve } from '../../support/verbs.ts';
import { CALL } from '../../support/waitingEngine.ts';

const BEGIN = '  local isBegun = false\n';
const settle = readFileSync('lua/waiting/settle.lua', 'utf8');
const ENDLESS = settle.replace(BEGIN, `  if state.isUnsettled then return false end\n${BEGIN}`);

/** A Redis of its own, so that a sweep finds no other tenants. */
let server: RedisServer;
let running: RunningEngine;
let scripts = 0;
beforeAll(async () => {
  expect(ENDLESS).not.toBe(settle);
  server = await startRedis(() => {});
  running = await startEngine(undefined, server.url, { 'waiting/settle': ENDLESS });
  const { engine, credential } = running;
  const [held] = await reserve(engine, credential, [{ resource: 'r', requester: 'holder' }]);
  await reserve(engine, credential, [{ resource: 'free', requester: 'me', ttlSeconds: 60 }]);
  const waiting = { resource: 'r', requester: 'waiter', ttlSeconds: 60, waitSeconds: 600 };
  await engineReserve.reserve(engine, credential, [waiting], CALL);
  await unreserve(engine, credential, held ? [held] : []);
  observeScripts(engine.redis, () => {
    scripts++;
    return () => {};
  });
});
afterAll(async () => {
  running.stop();
  await server.stop();
});

describe('while the queue of a tenant is not settled', () => {
  test('plain names are reserved, renewed and released', async () => {
    const { engine, credential } = running;
    const plain = { resource: 'plain', requester: 'me', ttlSeconds: 60 };
    const [got] = (await engineReserve.reserve(engine, credential, [plain])).result;
    expect(got).toMatchObject({ status: 'ACQUIRED' });
    const item = { ...plain, releaseToken: got?.releaseToken ?? '' };
    expect((await renew(engine, credential, [item])).result).toMatchObject([{ status: 'RENEWED' }]);
    expect((await engineUnreserve(engine, credential, [item])).result).toMatchObject([{ status: 'RELINQUISHED' }]);
  });

  test('a request for what others wait for is refused after two seconds, in fewer and fewer scripts', async () => {
    const { engine, credential } = running;
    const ask = () => reserve(engine, credential, [{ resource: 'r', requester: 'me' }]);
    scripts = 0;
    await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
    const first = scripts;
    expect(first).toBeLessThan(500);
    await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
    expect(scripts - first).toBeLessThan(first);
  });

  test('many such requests take no more scripts than one', async () => {
    const { engine, credential } = running;
    const ask = (i: number) => reserve(engine, credential, [{ resource: 'r', requester: `one${i}` }]);
    scripts = 0;
    await Promise.allSettled(Array.from({ length: 20 }, (_, i) => ask(i)));
    expect(scripts).toBeLessThan(500);
  });

  test('a sweep leaves it to the next one', async () => {
    scripts = 0;
    await sweep(running.engine.redis);
    expect(scripts).toBeLessThan(2000);
  });
});
