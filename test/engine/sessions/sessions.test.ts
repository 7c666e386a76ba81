/**
 * Sessions with very many reservations, the due index, the cap, and tenants that have none
 * (docs/specification.md#sessions).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../../../scripts/redisServer.ts';
import type { BegunSession } from '../../../src/contract/sessions.ts';
import { LimitError } from '../../../src/domain/errors.ts';
import { reconcile } from '../../../src/engine/expiry/reconcile.ts';
import { sweep } from '../../../src/engine/expiry/sweep.ts';
import { active } from '../../../src/engine/reservations/active.ts';
import { reserve as reserveWith } from '../../../src/engine/reservations/reserve.ts';
import { beginSession, endSession, renewSession, sessions } from '../../../src/engine/sessions.ts';
import { look } from '../../../src/engine/waiting/beat.ts';
import { expiryKey, expiryShard, keysOf } from '../../../src/redis/keys.ts';
import { parseReply } from '../../../src/redis/reply.ts';
import { runScript } from '../../../src/redis/scripts.ts';
import { setClock } from '../../support/clock.ts';
import { interceptScript, type RunningEngine, startEngine } from '../../support/engine.ts';
import { hotOf } from '../../support/hotRecord.ts';
import { all } from '../../support/listed.ts';
import { check, reserve, usage } from '../../support/verbs.ts';

// Ahead of the real clock, by which other tests' instances end leases.
const START = Date.UTC(2050, 0, 1);
const BATCH = 500;

let server: RedisServer;
let running: RunningEngine;
const begun: RunningEngine[] = [];
beforeAll(async () => {
  server = await startRedis(() => {});
});
afterAll(async () => {
  for (const { stop } of begun) stop();
  await server.stop();
});

/** Starts a tenant of its own. */
async function fresh(limits = {}): Promise<void> {
  running = await startEngine(undefined, server.url, undefined, limits);
  begun.push(running);
  await goTo(0);
}
const goTo = (seconds: number) => setClock(running.engine.redis, running.credential.tenant, START + seconds * 1000);
const begin = async (ttlSeconds = 60, requester = 'w') =>
  (await beginSession(running.engine, running.credential, { requester, ttlSeconds })).result;
const keyOf = (name: string) => `{${running.credential.tenant}}:${name}`;

async function hold(session: BegunSession, count: number, prefix = 'h'): Promise<void> {
  for (let from = 0; from < count; from += BATCH)
    await reserve(
      running.engine,
      running.credential,
      Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => ({
        resource: `${prefix}${from + i}`,
        requester: 'w',
        session: session.session,
      })),
    );
}

describe('a worker that is killed with 10,000 reservations', () => {
  beforeAll(async () => {
    await fresh();
    await hold(await begin(), 10_000);
  });

  test('holds all of them until its session is due', async () => {
    await goTo(59.999);
    expect(await all(active(running.engine, running.credential))).toHaveLength(10_000);
  });

  test('loses all of them at the same instant: no script sees one of them afterwards', async () => {
    const { engine, credential } = running;
    await goTo(60);
    // Every script that does not answer AGAIN sees none, whichever comes first.
    const replies = await Promise.all([
      check(engine, credential, [{ resource: 'h9999' }, { resource: 'h0' }]),
      reserve(engine, credential, [{ resource: 'h5000', requester: 'other', ttlSeconds: 60 }]),
      all(active(engine, credential)),
      all(sessions(engine, credential)),
    ]);
    expect(replies[0].filter(({ reserved }) => reserved)).toEqual([]);
    expect(replies[1]).toMatchObject([{ status: 'ACQUIRED' }]);
    expect(replies[2].filter(({ requester }) => requester === 'w')).toEqual([]);
    expect(replies[3]).toEqual([]);
  });

  test('leaves nothing behind in Redis', async () => {
    const { redis } = running.engine;
    expect(await redis.exists(keyOf('sessions'), keyOf('sessionHolds'), keyOf('sessionsDue'))).toBe(0);
    expect(await redis.hget(keyOf('tenant'), 'sessions')).toBeNull();
    expect(await hotOf(redis, running.credential.tenant)).toMatchObject({ count: 1, flags: 0 });
  });
});

describe('while the reservations of a session end', () => {
  test('every script ends a piece of at most 100, and answers AGAIN until none is left', async () => {
    await fresh();
    await hold(await begin(), 1000);
    await goTo(60);
    const counts = [1000];
    for (let code: unknown = 'AGAIN'; code === 'AGAIN'; ) {
      const { redis } = running.engine;
      [code] = parseReply(await runScript(redis, 'sweep', ...keysOf('sweep', running.credential.tenant), ''));
      counts.push(await redis.hlen(keyOf('slots')));
    }
    const pieces = counts.slice(1).map((count, i) => (counts[i] ?? 0) - count);
    expect(Math.max(...pieces)).toBeLessThanOrEqual(100);
    expect([counts.at(-1), pieces.length]).toEqual([0, expect.any(Number)]);
    expect(pieces.length).toBeLessThan(25);
  });

  test('an explicit end goes on if the instance that was asked dies: the next call ends the rest', async () => {
    await fresh();
    const session = await begin();
    await hold(session, 1000);
    const { engine, credential } = running;
    // As endSession() does before it ends the reservations.
    const dying = interceptScript(running, 'beat', () => Promise.reject(new Error('gone')));
    await endSession(dying, credential, session);
    expect((await check(engine, credential, [{ resource: 'h999' }]))[0]?.reserved).toBe(false);
    expect(await engine.redis.hlen(keyOf('slots'))).toBe(0);
  });
});

describe('a session that is over stays so if the clock of Redis steps back', () => {
  /** Starts a tenant with a session of 1000 reservations, 30 s old, and an engine that dies when it has ended one. */
  const held = async () => {
    await fresh();
    const session = await begin();
    await hold(session, 1000);
    await goTo(30);
    return { session, dying: interceptScript(running, 'beat', () => Promise.reject(new Error('gone'))) };
  };
  const nothingIsLeft = async () => {
    const { engine, credential } = running;
    const past = await all(active(engine, credential));
    expect([past, await all(sessions(engine, credential))]).toEqual([[], []]);
    expect(await engine.redis.exists(keyOf('slots'), keyOf('sessions'), keyOf('sessionsDue'))).toBe(0);
  };

  test('after its caller has ended it', async () => {
    const { session, dying } = await held();
    await endSession(dying, running.credential, session);
    await goTo(29);
    expect((await renewSession(running.engine, running.credential, session)).result.status).toBe('NOT_FOUND');
    await nothingIsLeft();
  });

  test('after it has expired, and a piece of its reservations has ended', async () => {
    await held();
    const { redis } = running.engine;
    await goTo(60);
    await runScript(redis, 'sweep', ...keysOf('sweep', running.credential.tenant), '');
    expect(await redis.hlen(keyOf('slots'))).toBeLessThan(1000);
    await goTo(59);
    await nothingIsLeft();
  });

  test('and the due index has it at the time of Redis: metrics report how late it is', async () => {
    const { session, dying } = await held();
    await endSession(dying, running.credential, session);
    const { redis } = running.engine;
    const { tenant } = running.credential;
    const before = Date.now();
    await reconcile(redis);
    const due = Number(await redis.zscore(expiryKey(expiryShard(tenant)), tenant));
    expect(due).toBeGreaterThanOrEqual(before - 1000);
    expect(due).toBeLessThanOrEqual(Date.now() + 1000);
  });
});

describe('renewing a session', () => {
  /** The commands that Redis runs for it. */
  const costOf = async (session: BegunSession) => {
    const { redis } = running.engine;
    await redis.config('RESETSTAT');
    await renewSession(running.engine, running.credential, session);
    const stats = await redis.info('commandstats');
    return [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)]
      .map(([, name, calls]) => `${name} ${calls}`)
      .filter((one) => !/^(config|info|ping|get)/.test(one))
      .sort();
  };

  test('costs the same with 1 reservation and with 10,000', async () => {
    await fresh();
    const [small, large] = [await begin(), await begin()];
    await hold(small, 1, 'small');
    await hold(large, 10_000, 'large');
    await goTo(1);
    await renewSession(running.engine, running.credential, large);
    const cost = await costOf(small);
    expect(await costOf(large)).toEqual(cost);
    expect(cost).toContain('fcall 1');
    await goTo(61);
    expect(await all(active(running.engine, running.credential))).toEqual([]);
  });
});

describe('a session', () => {
  test('is one entry of the due times, and one sweep finds it', async () => {
    await fresh();
    const { redis } = running.engine;
    const { tenant } = running.credential;
    const dueIndexed = () => redis.zscore(expiryKey(expiryShard(tenant)), tenant);
    const session = await begin();
    await hold(session, 200);
    expect(await redis.zcard(keyOf('due'))).toBe(0);
    expect(Number(await dueIndexed())).toBe(START + 60_000);
    await goTo(30);
    await renewSession(running.engine, running.credential, session);
    // Redis's own time is not that of the tenant: a visit at the old time keeps what lives.
    await goTo(60);
    await sweep(redis);
    expect(await redis.hlen(keyOf('slots'))).toBe(200);
    await goTo(90);
    await redis.zadd(expiryKey(expiryShard(tenant)), 1, tenant);
    await sweep(redis);
    expect(await redis.hlen(keyOf('slots'))).toBe(0);
    expect(await dueIndexed()).toBeNull();
  });

  test('is put back into the due index if that has lost it', async () => {
    await fresh();
    const { redis } = running.engine;
    const { tenant } = running.credential;
    await begin();
    await redis.zrem(expiryKey(expiryShard(tenant)), tenant);
    await reconcile(redis);
    expect(Number(await redis.zscore(expiryKey(expiryShard(tenant)), tenant))).toBe(START + 60_000);
  });

  test('says when it is due to the instances that have long polls', async () => {
    await fresh();
    await begin(20);
    expect(await look(running.engine, running.credential.tenant)).toBe(20_000);
  });

  test('counts as one reservation towards the cap, and so do its reservations', async () => {
    await fresh({ reservations: 3 });
    const { engine, credential } = running;
    const session = await begin();
    await hold(session, 1);
    expect((await usage(engine, credential)).reservations).toBe(2);
    await begin(30);
    expect(await begin().catch((error: unknown) => error)).toBeInstanceOf(LimitError);
    expect(await hold(session, 1, 'more').catch((error: unknown) => error)).toBeInstanceOf(LimitError);
    expect(await all(sessions(engine, credential))).toHaveLength(2);
    await endSession(engine, credential, session);
    expect((await usage(engine, credential)).reservations).toBe(1);
  });

  test('begins also in the step that hands over what was due', async () => {
    await fresh();
    const { engine, credential } = running;
    await reserve(engine, credential, [{ resource: 'a', requester: 'x', ttlSeconds: 10 }]);
    const waiting = { resource: 'a', requester: 'y', ttlSeconds: 30, waitSeconds: 600 };
    await reserveWith(engine, credential, [waiting], { instance: 'i', pollMs: 30_000, isContinuation: false });
    await goTo(10);
    expect(await begin()).toMatchObject({ session: expect.any(String) });
    expect((await all(active(engine, credential))).map(({ requester }) => requester)).toEqual(['y']);
  });

  test('holds at most 50,000 reservations', async () => {
    await fresh();
    const session = await begin();
    await hold(session, 1);
    const { redis } = running.engine;
    const [member = ''] = await redis.zrange(keyOf('sessionHolds'), '0', '0');
    const id = member.split('\n')[0];
    for (let from = 0; from < 49_998; from += 1000)
      await redis.zadd(
        keyOf('sessionHolds'),
        ...Array.from({ length: Math.min(1000, 49_998 - from) }, (_, i) => ['0', `${id}\nplanted${from + i}`]).flat(),
      );
    const two = ['a', 'b'].map((resource) => ({ resource, requester: 'w', session: session.session }));
    const results = await reserve(running.engine, running.credential, two);
    expect(results.map(({ explanation }) => explanation)).toEqual([
      'ACQUIRED',
      'NOT_VALID: a session holds at most 50000 reservations',
    ]);
  });

  test('costs a tenant that has none nothing: its hash has no such field', async () => {
    await fresh();
    const session = await begin();
    await endSession(running.engine, running.credential, session);
    expect(await running.engine.redis.hexists(keyOf('tenant'), 'sessions')).toBe(0);
  });
});
