import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { HoldfastError } from '../../src/domain/errors.ts';
import type { Credential } from '../../src/domain/tenants.ts';
import { DEFAULT_TIERS } from '../../src/domain/tiers.ts';
import { register } from '../../src/engine/definitions/register.ts';
import { NOW } from '../../src/engine/definitions/step.ts';
import { configuredLoader } from '../../src/engine/tenant/load.ts';
import { inTurn } from '../../src/engine/tenantTurns.ts';
import { configuredTenants } from '../../src/identity/configuredTenants.ts';
import { digestOf } from '../../src/identity/credentials.ts';
import { loadScripts, observeScripts } from '../../src/redis/scripts.ts';
import { type RunningEngine, startEngine } from '../support/engine.ts';
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
  await register(engine, loud, [{ name: 'wide', capacity: 1000, blocks, treePath: null }], 16, NOW);
  await reserve(engine, quiet, [{ resource: 'first', requester: 'r' }]);
  observeScripts(engine.redis, loadScripts(DEFAULT_TIERS), () => {
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
  /** Calls of a tenant that end when they are told to. */
  function pending(): {
    started: string[];
    make: (name: string, isRepeat?: boolean) => Promise<string>;
    end: () => void;
  } {
    const started: string[] = [];
    const ends: (() => void)[] = [];
    return {
      started,
      make: (name, isRepeat = false) =>
        inTurn(running.engine, 'waiting', isRepeat, () => {
          started.push(name);
          return new Promise((resolve) => {
            ends.push(() => resolve({ reply: name, work: undefined }));
          });
        }),
      end: () => ends.shift()?.(),
    };
  }

  test('let one that goes on with an earlier call go first', async () => {
    const { started, make, end } = pending();
    const all = [make('a'), make('b'), make('c'), make('again', true)];
    for (let i = 0; i < all.length; i++) {
      end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    expect(started).toEqual(['a', 'b', 'again', 'c']);
  });

  test('are refused after 1.5 s, before anything is done', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { started, make, end } = pending();
      const all = [make('a'), make('b'), make('late')];
      vi.advanceTimersByTime(1501);
      end();
      await expect(all[2]).rejects.toMatchObject({ code: 'overloaded' });
      end();
      await Promise.all(all.slice(0, 2));
      expect(started).toEqual(['a', 'b']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('are at most 1,024 of a tenant: one more is refused at once, and calls of others are made', async () => {
    const { started, make, end } = pending();
    const all = times(1026, (i) => make(`call ${i}`));
    await expect(make('one more')).rejects.toMatchObject({ code: 'overloaded' });
    all.push(make('goes on', true));
    const other = inTurn(running.engine, 'other', false, async () => ({ reply: 'made', work: 0 }));
    expect(await other).toBe('made');
    for (let i = 0; i < all.length; i++) {
      end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    expect(started).toHaveLength(1027);
    expect(started).not.toContain('one more');
  });

  test('fail together with one that finds Redis away', async () => {
    const { started, make, end } = pending();
    const away = inTurn(running.engine, 'waiting', false, async () => {
      throw new HoldfastError('unavailable', 'away');
    });
    const all = [make('a'), make('late')];
    await expect(away).rejects.toMatchObject({ code: 'unavailable' });
    await expect(all[1]).rejects.toMatchObject({ code: 'unavailable' });
    end();
    await all[0];
    expect(started).toEqual(['a']);
  });
});
