/**
 * Sessions beside instances of the version before, which do not know them: they renew and release reservations of
 * sessions as any other (lua/lib/sessions/records.lua).
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BegunSession } from '../../../src/contract/sessions.ts';
import { active } from '../../../src/engine/reservations/active.ts';
import { beginSession } from '../../../src/engine/sessions/begin.ts';
import { endSession } from '../../../src/engine/sessions/end.ts';
import { setClock } from '../../support/clock.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { all } from '../../support/listed.ts';
import { reserve } from '../../support/verbs.ts';

// Ahead of the real clock, by which other tests' instances end leases.
const START = Date.UTC(2050, 0, 1);
/** The place of expiresAt in a record of the full form (lua/lib/codec.lua), of the requester w and no pool. */
const EXPIRES_AT = 1 + 4 + 'w\0\0'.length + 1 + 7 + 6;

let running: RunningEngine;
let session: BegunSession;
const keyOf = (name: string) => `{${running.credential.tenant}}:${name}`;
const goTo = (seconds: number) => setClock(running.engine.redis, running.credential.tenant, START + seconds * 1000);
const listed = async () =>
  (await all(active(running.engine, running.credential))).map(({ resource, requester }) => `${resource} ${requester}`);
beforeAll(async () => {
  running = await startEngine();
  await goTo(0);
  const { engine, credential } = running;
  session = (await beginSession(engine, credential, { requester: 'w', ttlSeconds: 600 })).result;
  await reserve(
    engine,
    credential,
    ['a', 'b', 'c'].map((resource) => ({ resource, requester: 'w', session: session.session })),
  );
});
afterAll(() => running.stop());

test('a reservation that such an instance has renewed as a lease lasts as long as its session', async () => {
  const { redis } = running.engine;
  const record = (await redis.hgetBuffer(keyOf('slots'), 'a')) ?? Buffer.alloc(0);
  expect(record.readUIntBE(EXPIRES_AT, 6)).toBe(0);
  record.writeUIntBE(START + 5000, EXPIRES_AT, 6);
  await redis.hset(keyOf('slots'), 'a', record);
  await redis.zadd(keyOf('due'), START + 5000, 'a');
  await redis.hset(keyOf('tenant'), 'nextDue', START + 5000);
  await goTo(5);
  expect((await listed()).sort()).toEqual(['a w', 'b w', 'c w']);
  expect(await redis.exists(keyOf('due'))).toBe(0);
  expect((await redis.hgetBuffer(keyOf('slots'), 'a'))?.readUIntBE(EXPIRES_AT, 6)).toBe(0);
});

test('what such an instance has released is no longer the session’s: its next holder keeps it', async () => {
  const { engine, credential } = running;
  await engine.redis.hdel(keyOf('slots'), 'b');
  await engine.redis.hincrby(keyOf('tenant'), 'count', -1);
  await reserve(engine, credential, [{ resource: 'b', requester: 'other' }]);
  await endSession(engine, credential, session);
  expect(await listed()).toEqual(['b other']);
  expect(await engine.redis.exists(keyOf('sessionHolds'))).toBe(0);
});
