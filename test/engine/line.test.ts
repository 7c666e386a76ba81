import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import type { Credential } from '../../src/domain/tenants.ts';
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { lineOf } from '../../src/engine/line.ts';
import { unreserve } from '../../src/engine/reservations/unreserve.ts';
import { configuredLoader } from '../../src/engine/tenant/record.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { observeScripts } from '../../src/redis/scripts.ts';
import { interceptScript, type RunningEngine, startEngine } from '../support/engine.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { until } from '../support/until.ts';
import { check, reserve, transaction } from '../support/verbs.ts';

/** Two tenants of one instance. */
let running: RunningEngine;
let loud: Credential;
let quiet: Credential;
/** Names of the scripts of the loud tenant that are in flight, and the most that there were at once. */
let inFlight = 0;
let most = 0;
beforeAll(async () => {
  running = await startEngine();
  const { engine } = running;
  const keys = [makeConfiguredKey(makeTenant()), makeConfiguredKey(makeTenant())];
  Object.assign(engine, { loadTenant: configuredLoader(engine.redis, configuredTenants(keys)) });
  const credentials = keys.map(({ tenant, key }) => ({ tenant, credentialKey: digestOf(key), kind: 'key' as const }));
  [loud, quiet] = [credentials[0] ?? running.credential, credentials[1] ?? running.credential];
  const blocks = Array.from({ length: 64 }, (_, i) => `blocker-${i}`);
  await register(engine, loud, [{ name: 'wide', capacity: 1000, blocks, treePath: null }], NOW);
  await reserve(engine, quiet, [{ resource: 'first', requester: 'r' }]);
  observeScripts(engine.redis, () => {
    most = Math.max(most, ++inFlight);
    return () => inFlight--;
  });
});
beforeEach(() => {
  most = 0;
});
afterAll(() => running.stop());

const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

/**
 * Records the tenants of scripts in the order in which Redis runs them, of these two. It reads MONITOR from a socket:
 * ioredis fails if lines come with the reply to MONITOR, as they do on a busy Redis.
 */
async function recorded(work: () => Promise<unknown>): Promise<string[]> {
  const { hostname, port, protocol, pathname } = new URL(inject('redisUrl'));
  const socket = protocol === 'unix:' ? connect(pathname) : connect(Number(port || 6379), hostname);
  let lines = '';
  socket.setEncoding('latin1').on('data', (data: string) => {
    lines += data;
  });
  socket.write('MONITOR\r\n');
  await until('MONITOR', () => lines.startsWith('+OK'));
  await work();
  await running.engine.redis.echo(loud.tenant);
  await until('the last command', () => lines.includes(`"echo" "${loud.tenant}"`));
  socket.destroy();
  const tenants = [...lines.matchAll(/^\S+ \[\S+ \S+\] "(?:eval|fcall).*?"\{([^}]+)\}:tenant"/gim)].map(
    ([, tenant = '']) => tenant,
  );
  return tenants.filter((tenant) => tenant === loud.tenant || tenant === quiet.tenant);
}

const wide = (i: number) =>
  transaction(running.engine, loud, 'ALL_OR_NONE', [
    { requestType: 'RESERVE', resource: 'wide', requester: `r${i}`, ttlSeconds: 60 },
  ]);

describe('a tenant with many requests in flight', () => {
  test('has two calls in Redis when another tenant comes, however many it has sent', async () => {
    const order = await recorded(() =>
      Promise.all([...times(50, wide), reserve(running.engine, quiet, [{ resource: 'mine', requester: 'r' }])]),
    );
    expect(order.filter((tenant) => tenant === loud.tenant).length).toBeGreaterThanOrEqual(50);
    // Redis sees a call twice, as EVALSHA and EVAL, if it does not have the script yet.
    expect(order.indexOf(quiet.tenant)).toBeLessThanOrEqual(4);
  });

  test('goes on having few while its calls take long', async () => {
    await Promise.all(times(50, (i) => wide(50 + i)));
    expect(most).toBeLessThanOrEqual(5);
  });

  test('has one as soon as they are seen to take more than 2 ms', async () => {
    const long = (i: number) =>
      reserve(
        running.engine,
        loud,
        times(400, (j) => ({ resource: `l${i}-${j}`, requester: 'r' })),
      );
    await long(0);
    const all = times(12, (i) => long(i + 1));
    await Promise.race(all);
    await all[1];
    most = inFlight;
    await Promise.all(all);
    expect(most).toBe(1);
  });

  test('has many as soon as they are seen to be short', async () => {
    // Requests with so many items share no call.
    const items = times(21, (i) => ({ resource: `short-${i}` }));
    await Promise.all(times(200, () => check(running.engine, quiet, items)));
    expect(most).toBe(20);
  });

  test('is served in the order in which it sent them', async () => {
    const answered: number[] = [];
    await Promise.all(times(30, (i) => wide(100 + i).then(() => answered.push(i))));
    expect(answered).toEqual(times(30, (i) => i));
  });
});

describe('calls that wait', () => {
  /** Calls of a tenant that end on demand. */
  function pending() {
    const started: string[] = [];
    const line = lineOf(running.engine, makeTenant());
    return {
      started,
      enter: (name: string, isNext = false) =>
        line.enter({ start: () => started.push(name) > 0, fail: () => {} }, isNext),
      end: () => line.leave(undefined),
    };
  }
  /** Requests with an Idempotency-Key, which share no call. */
  const alone = (i: number, engine = running.engine) =>
    unreserve(engine, loud, [{ resource: `a${i}`, requester: 'r', releaseToken: null }], {
      key: `${makeTenant()}-${i}`,
      fingerprint: 'f'.repeat(32),
    });

  test('let one that goes on with an earlier call go first', () => {
    const { started, enter, end } = pending();
    for (const name of ['a', 'b', 'c']) enter(name);
    enter('again', true);
    expect(started).toEqual(['a', 'b']);
    end();
    end();
    expect(started).toEqual(['a', 'b', 'again', 'c']);
  });

  test('are refused after 1.5 s, before anything is done', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      // A call may be long, as far as is known at first.
      vi.advanceTimersByTime(1001);
      const all = times(3, (i) => alone(i));
      vi.advanceTimersByTime(1501);
      const [first, second, late] = await Promise.allSettled(all);
      expect([first, second]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
      expect(late).toMatchObject({ reason: { code: 'overloaded' } });
    } finally {
      vi.useRealTimers();
    }
  });

  test('are at most 1,024 of a tenant: one more is refused at once, and calls of others are made', async () => {
    const all = times(1026, (i) => alone(i));
    await expect(alone(1026)).rejects.toMatchObject({ code: 'overloaded' });
    const other = reserve(running.engine, quiet, [{ resource: 'other', requester: 'r' }]);
    expect(await other).toMatchObject([{ status: 'ACQUIRED' }]);
    await Promise.all(all);
    // All places are free again.
    await Promise.all(times(1000, (i) => alone(i)));
  });

  test('fail together with one that finds Redis away', async () => {
    let sent = 0;
    const away = interceptScript(running, 'unreserve', async (send) => {
      if (++sent === 1) throw new Error('OOM command not allowed');
      return send();
    });
    const [first, second, ...waiting] = await Promise.allSettled(times(10, (i) => alone(i, away)));
    expect(first).toMatchObject({ reason: { code: 'unavailable' } });
    expect(second).toMatchObject({ status: 'fulfilled' });
    for (const one of waiting) expect(one).toMatchObject({ reason: { code: 'unavailable' } });
    expect(sent).toBe(2);
  });
});
