/**
 * Metrics of an instance: each figure moves when its event happens, and only then.
 */

import { describe, expect, test } from 'vitest';
import { startRedis } from '../../scripts/redisServer.ts';
import { expiryKey, expiryShard } from '../../src/redis/keys.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { growth, parseSamples, parseTypes } from '../support/samples.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { databaseEnv, KINDS } from '../support/tenancy.ts';
import { until } from '../support/until.ts';
import { watch } from '../support/watch.ts';

const MEASURED = { METRICS_PORT: '0' };
const samples = async (instance: Instance) => parseSamples(await instance.scrape());

/** The growth of metrics whose names begin so, while something was done; without buckets and sums. */
async function grown(instance: Instance, prefix: string, act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await samples(instance);
  await act();
  const all = Object.entries(growth(before, await samples(instance)));
  return Object.fromEntries(all.filter(([name]) => name.startsWith(prefix) && !/_(bucket|sum)\b/.test(name)));
}

useInstance({ env: MEASURED });

describe('requests', () => {
  const requests = (act: () => Promise<unknown>) => grown(holdfast, 'holdfast_http_', act);
  const count = (method: string, route: string, status: number) =>
    `holdfast_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;

  test('are counted by method, the pattern of their route, and status', async () => {
    expect(await requests(() => holdfast.available('some printer'))).toEqual({
      [count('GET', '/api/v1/Resource/available/:resource', 200)]: 1,
    });
    expect(await requests(() => holdfast.request('POST', '/api/v1/Reservation/reserve', []))).toEqual({
      [count('POST', '/api/v1/Reservation/reserve', 400)]: 1,
    });
    expect(await requests(() => holdfast.request('GET', '/healthz'))).toEqual({ [count('GET', '/healthz', 200)]: 1 });
  });

  test('take up series by the code alone, whatever callers send', async () => {
    const before = (await samples(holdfast)).size;
    const garbage = Array.from({ length: 200 }, (_, i) =>
      Math.sin(i + 1)
        .toString(36)
        .slice(3),
    );
    for (const word of garbage) {
      const key = { 'X-Api-Key': `hf_${word}_${'a'.repeat(32)}` };
      await holdfast.request('GET', `/${word}`);
      await holdfast.request('GET', `/api/v1/${word}/${word}`, undefined, key);
      await holdfast.request('DELETE', `/api/v1/Resource/${word}`);
      await holdfast.reserve({ resource: word, requester: word, resourceType: word });
    }
    for (const method of ['PROPFIND', 'MKCOL', 'LOCK', 'SEARCH']) await fetch(holdfast.url, { method });
    const after = await samples(holdfast);
    // Of 800 requests: four routes, verbs, scripts; 14 series a histogram.
    expect(after.size - before).toBeLessThan(150);
    const text = await holdfast.scrape();
    for (const word of [...garbage, holdfast.tenant, 'PROPFIND']) expect(text).not.toContain(word);
  });
});

describe('operations', () => {
  const operations = (act: () => Promise<unknown>) => grown(holdfast, 'holdfast_operations_total', act);
  const count = (verb: string, outcome: string) => `holdfast_operations_total{verb="${verb}",outcome="${outcome}"}`;

  test('are counted item by item, by verb and status', async () => {
    const mine = { resource: 'counted', requester: 'a', ttlSeconds: 60 };
    expect(await operations(() => holdfast.reserve(mine, mine, { ...mine, requester: 'b' }))).toEqual({
      [count('reserve', 'ACQUIRED')]: 1,
      [count('reserve', 'ALREADY_HAD')]: 1,
      [count('reserve', 'ALREADY_HELD')]: 1,
    });
    const releaseToken = (await holdfast.reserve(mine)).body[0]?.releaseToken ?? undefined;
    expect(await operations(() => holdfast.renew({ ...mine, releaseToken }))).toEqual({
      [count('renew', 'RENEWED')]: 1,
    });
    const { resource, requester } = mine;
    const release = { resource, requester, releaseToken };
    expect(await operations(() => holdfast.unreserve(release, release))).toEqual({
      [count('unreserve', 'RELINQUISHED')]: 1,
      [count('unreserve', 'NOT_RESERVED')]: 1,
    });
    expect(await operations(() => holdfast.check({ resource: 'counted' }))).toEqual({});
  });

  test('are not counted again when they are repeated with an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'counted-once' };
    const item = { resource: 'repeated', requester: 'a' };
    const reserve = () => holdfast.request('POST', '/api/v1/Reservation/reserve', [item], headers);
    expect(await operations(reserve)).toEqual({ [count('reserve', 'ACQUIRED')]: 1 });
    expect(await operations(reserve)).toEqual({});
    const body = { method: 'FIRST', requests: [{ requestType: 'RESERVE', ...item }] };
    const other = { 'Idempotency-Key': 'counted-too' };
    const transaction = () => holdfast.request('POST', '/api/v1/Reservation/transaction', body, other);
    await transaction();
    expect(await grown(holdfast, 'holdfast_transactions_total', transaction)).toEqual({});
  });

  test('of transactions are counted apart, and transactions by method and status', async () => {
    const reserve = { requestType: 'RESERVE', resource: 'both', requester: 'a' } as const;
    const act = () => holdfast.transaction('ALL_OR_NONE', reserve, { ...reserve, requester: 'b' });
    expect(await grown(holdfast, 'holdfast_transactions_total', act)).toEqual({
      'holdfast_transactions_total{method="ALL_OR_NONE",status="ROLLED_BACK"}': 1,
    });
    expect(await operations(act)).toEqual({
      [count('transaction', 'NOT_AVAILABLE')]: 1,
      [count('transaction', 'ALREADY_HELD')]: 1,
    });
  });
});

describe('refusals by a limit', () => {
  test('are counted by its type', async () => {
    const key = { ...makeConfiguredKey(makeTenant()), tier: 'Free' as const };
    const TIERS = JSON.stringify({ Free: { writesPerMinute: 2, readsPerMinute: 1, reservations: 1 } });
    const limited = await startInstance({ keys: [key], env: { ...MEASURED, TIERS } });
    const items = Array.from({ length: 3 }, (_, i) => ({ resource: `r${i}`, requester: 'a' }));
    const refused = (act: () => Promise<unknown>) => grown(limited, 'holdfast_limit_refusals', act);
    const count = (type: string) => ({ [`holdfast_limit_refusals_total{limit_type="${type}"}`]: 1 });
    expect(await refused(() => limited.reserve(...items))).toEqual(count('OperationsPerMinute'));
    expect(await refused(() => limited.reserve(...items.slice(0, 2)))).toEqual(count('ConcurrentReservations'));
    expect(await refused(() => limited.available('r'))).toEqual({});
    expect(await refused(() => limited.available('r'))).toEqual(count('ReadsPerMinute'));
    await limited.stop();
  });
});

describe('scripts', () => {
  test('are timed by their name, each call', async () => {
    const scripts = (act: () => Promise<unknown>) => grown(holdfast, 'holdfast_script_duration', act);
    const count = (script: string) => `holdfast_script_duration_seconds_count{script="${script}"}`;
    const { [count('reserve')]: reserves } = await scripts(() => holdfast.reserve({ resource: 's', requester: 'a' }));
    expect(reserves).toBe(1);
    const { [count('active')]: pages } = await scripts(() => holdfast.active());
    expect(pages).toBe(1);
  });
});

describe('streams of events', () => {
  test('are counted while they are open, with what is delivered and why they end', async () => {
    const open = async () => (await samples(holdfast)).get('holdfast_streams_open');
    expect(await open()).toBe(0);
    const [first, second] = await Promise.all([watch(holdfast), watch(holdfast)]);
    expect(await open()).toBe(2);
    const act = async () => {
      await holdfast.reserve({ resource: 'e1', requester: 'a' }, { resource: 'e2', requester: 'a' });
      await Promise.all([first.count(2), second.count(2)]);
    };
    expect(await grown(holdfast, 'holdfast_events', act)).toEqual({ holdfast_events_delivered_total: 4 });
    const close = async () => {
      first.close();
      await until('one stream less', async () => (await open()) === 1);
    };
    const ended = (reason: string) => ({ [`holdfast_streams_ended_total{reason="${reason}"}`]: 1 });
    expect(await grown(holdfast, 'holdfast_streams_ended', close)).toEqual(ended('reader'));
    second.close();
    await until('none', async () => (await open()) === 0);
  });

  test('cut for a slow reader, and ended by an instance that leaves, are distinguished', async () => {
    const leaving = await startInstance({ env: MEASURED });
    const [slow, quick] = [await watch(leaving), await watch(leaving)];
    slow.socket.pause();
    const items = Array.from({ length: 200 }, (_, i) => ({
      resource: `${i}${'x'.repeat(250)}`,
      requester: 'y'.repeat(256),
    }));
    const end = (reason: string) => `holdfast_streams_ended_total{reason="${reason}"}`;
    await until('the slow one is cut', async () => {
      const { body } = await leaving.reserve(...items);
      await leaving.unreserve(
        ...body.map(({ resource, requester, releaseToken }) => ({
          resource,
          requester,
          releaseToken: releaseToken ?? undefined,
        })),
      );
      return (await samples(leaving)).get(end('slow_reader')) === 1;
    });
    leaving.leave();
    await until('the quick one is ended', async () => (await samples(leaving)).get(end('instance_leaving')) === 1);
    await until('its reader has seen that', () => quick.ended === 'in good order');
    slow.close();
    await leaving.stop();
  });
});

describe('the expiry sweep', () => {
  test('tells what it ended, and jobs are timed; what is overdue while no worker runs shows', async () => {
    const redis = await startRedis(() => {});
    const keys = [makeConfiguredKey(makeTenant())];
    const api = await startInstance({ keys, redisUrl: redis.url, env: MEASURED });
    const lagS = async () => (await samples(api)).get('holdfast_sweep_lag_seconds') ?? Number.NaN;
    expect(await lagS()).toBe(0);
    const leased = { resource: 'leased', requester: 'a' };
    const [held] = (await api.reserve({ ...leased, ttlSeconds: 60 })).body;
    expect(await lagS()).toBe(0);
    await api.renew({ ...leased, releaseToken: held?.releaseToken, ttlSeconds: 1 });
    await until('it is overdue', async () => (await lagS()) > 0.5);
    const env = { ...MEASURED, ROLE: 'worker' };
    const worker = await startInstance({ keys, redisUrl: redis.url, env });
    const seen = () => samples(worker);
    await until('it is swept', async () => (await seen()).get('holdfast_reservations_swept_total') === 1);
    expect((await seen()).get('holdfast_job_duration_seconds_count{queue="expiry"}')).toBeGreaterThan(0);
    expect(await until('nothing is overdue', async () => (await lagS()) === 0)).toBe(true);
    await Promise.all([api.stop(), worker.stop()]);
    await redis.stop();
  });

  test('a due index that names a later time is no lag', async () => {
    const redis = await startRedis(() => {});
    const api = await startInstance({ redisUrl: redis.url, env: MEASURED });
    await api.redis.zadd(expiryKey(expiryShard('t')), Date.now() + 60_000, 't');
    expect((await samples(api)).get('holdfast_sweep_lag_seconds')).toBe(0);
    await api.stop();
    await redis.stop();
  });
});

describe('Redis and the database', () => {
  test('are 1 while they serve, 0 while they do not; a database that is not configured is not there', async () => {
    const redis = await startRedis(() => {});
    const { url, drop } = await KINDS.PGlite();
    const both = await startInstance({ redisUrl: redis.url, keys: [], env: { ...MEASURED, ...databaseEnv(url) } });
    const up = async (what: string) => (await samples(both)).get(`holdfast_${what}_up`);
    expect([await up('redis'), await up('database')]).toEqual([1, 1]);
    await both.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect([await up('redis'), await up('database')]).toEqual([0, 1]);
    process.kill(redis.pid, 'SIGKILL');
    await until(
      'what Redis alone knows is missing',
      async () => !(await samples(both)).has('holdfast_sweep_lag_seconds'),
    );
    expect(await up('redis')).toBe(0);
    await both.stop();
    await drop();
    await redis.stop();
    expect((await samples(holdfast)).has('holdfast_database_up')).toBe(false);
  });
});

describe('what is rare and to be woken for', () => {
  test('is there at 0 before it first happens, so that it can be seen to grow', async () => {
    const worker = await startInstance({ env: { ...MEASURED, ROLE: 'worker' } });
    const errors = async (queue: string) => (await samples(worker)).get(`holdfast_job_errors_total{queue="${queue}"}`);
    for (const queue of ['expiry', 'reconciliation']) expect(await errors(queue)).toBe(0);
    await worker.stop();
    const idle = await startInstance({ env: MEASURED });
    for (const reason of ['slow_reader', 'redis_lost'])
      expect((await samples(idle)).get(`holdfast_streams_ended_total{reason="${reason}"}`)).toBe(0);
    await idle.stop();
  });
});

describe('names', () => {
  test('are those of Prometheus’s conventions: a prefix, base units, _total for counters', async () => {
    const types = [...parseTypes(await holdfast.scrape())].filter(([name]) => name.startsWith('holdfast_'));
    expect(types.length).toBeGreaterThan(10);
    for (const [name, type] of types) {
      expect([name, /^holdfast_[a-z]+(_[a-z]+)*$/.test(name)]).toEqual([name, true]);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(name).not.toMatch(/_(ms|milliseconds|kb|count)$/);
    }
  });

  test('the process’s own are there too', async () => {
    const names = [...parseTypes(await holdfast.scrape()).keys()];
    expect(names).toEqual(expect.arrayContaining(['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds']));
  });
});

describe('without METRICS_PORT', () => {
  test('nothing is measured', async () => {
    const plain = await startInstance();
    expect(await plain.scrape()).toBe('');
    expect((await plain.request('GET', '/metrics')).status).toBe(404);
    await plain.stop();
  });
});
