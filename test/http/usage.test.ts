/**
 * GET /api/v1/Resource/usage and the refusals that it shows (docs/specification.md#usage-of-resources, #refusals),
 * without a database.
 */

import { describe, expect, test } from 'vitest';
import type { ResourceUsage } from '../../src/contract/history.ts';
import { allRefusals, type RefusalCount, RefusalCounts } from '../../src/engine/tenant/refusals.ts';
import { createClient } from '../support/client.ts';
import { startEngine } from '../support/engine.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { addPast } from '../support/pastEntries.ts';
import { makeConfiguredKey, makeTenant } from '../support/service.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const free = { ...makeConfiguredKey(makeTenant()), tier: 'Free' as const };
useInstance({ keys: [makeConfiguredKey(makeTenant()), free] });

/** The start of the hour, some hours ago. */
const hoursAgo = (hours: number) => Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS;
const iso = (ms: number) => new Date(ms).toISOString();
/** When tests of the usage of `phone` look from. The hour may end between them. */
const from = hoursAgo(3);

const path = (query: Readonly<Record<string, string>>) => `/api/v1/Resource/usage?${new URLSearchParams(query)}`;
const usage = async (query: Readonly<Record<string, string>>) =>
  (await holdfast.request<ResourceUsage>('GET', path(query))).body;

const refused = async (tenant = holdfast.tenant): Promise<RefusalCount[]> => {
  const counts: RefusalCount[] = [];
  for await (const page of allRefusals(holdfast.redis, tenant, 0, Number.MAX_SAFE_INTEGER)) counts.push(...page);
  return counts;
};
const refusalsOf = async (name: string) => (await refused()).find((one) => one.name === name)?.count ?? 0;

describe('the usage of a resource', () => {
  test('has the share of the time of all slots, reservations and their times, step by step', async () => {
    await holdfast.register({ name: 'phone', capacity: 2 });
    await addPast(holdfast.redis, holdfast.tenant, [
      { resource: 'phone', slot: 'phone_0', reservedAt: from - HOUR_MS, endedAt: from + HOUR_MS },
      { resource: 'other', reservedAt: from, endedAt: from + HOUR_MS },
      { resource: 'phone', slot: 'phone_1', reservedAt: from, endedAt: from + 1.5 * HOUR_MS, waitedMs: 4000 },
    ]);
    const { total, steps, ...rest } = await usage({
      resource: 'phone',
      from: iso(from),
      to: iso(from + 2 * HOUR_MS),
      step: 'hour',
    });
    expect(rest).toEqual({ resource: 'phone', from: iso(from), to: iso(from + 2 * HOUR_MS), step: 'hour' });
    expect(total).toEqual({
      share: 2.5 / 4,
      outOfServiceShare: 0,
      reservations: 1,
      meanHeldSeconds: 1.75 * 3600,
      p95HeldSeconds: 2 * 3600,
      meanWaitedSeconds: 4,
      p95WaitedSeconds: 4,
      refusals: 0,
    });
    expect(steps.map(({ from: start, share }) => [start, share])).toEqual([
      [iso(from), 1],
      [iso(from + HOUR_MS), 0.25],
    ]);
  });

  test('counts reservations in force up to now: of slots, of several slots, and SHARED ones', async () => {
    await holdfast.register({ name: 'rack', capacity: 4 });
    await holdfast.reserve(
      { resource: 'rack', requester: 'a', count: 3 },
      { resource: 'rack_3', requester: 'b' },
      { resource: 'doc', requester: 'a', mode: 'SHARED' },
      { resource: 'doc', requester: 'b', mode: 'SHARED' },
      { resource: 'plain', requester: 'a', ttlSeconds: 60 },
    );
    const reservations = async (resource: string) => (await usage({ resource })).total.reservations;
    expect(await reservations('rack')).toBe(2);
    expect(await reservations('doc')).toBe(2);
    expect(await reservations('plain')).toBe(1);
    const { total } = await usage({ resource: 'rack', from: iso(Date.now() - 1), step: 'hour' });
    expect(total.share).toBeGreaterThan(0);
    expect(total.meanHeldSeconds).toBe(null);
  });

  test('is that of the last 7 days by the day without parameters', async () => {
    const { from, to, step, steps } = await usage({ resource: 'nothing' });
    expect(step).toBe('day');
    expect(steps.length).toBe(8);
    expect(Date.parse(to) - Date.parse(from)).toBeLessThanOrEqual(7 * DAY_MS + HOUR_MS);
    expect(steps[0]).toMatchObject({ share: 0, reservations: 0, meanHeldSeconds: null, refusals: 0 });
  });

  test('has at most 400 steps, and a span that is not empty', async () => {
    const ask = async (query: Readonly<Record<string, string>>) =>
      (await holdfast.request<string>('GET', path({ resource: 'r', ...query }))).status;
    const first = hoursAgo(399);
    expect(await ask({ from: iso(first), to: iso(first + 400 * HOUR_MS), step: 'hour' })).toBe(200);
    expect(await ask({ from: iso(hoursAgo(401)), step: 'hour' })).toBe(400);
    expect(await ask({ from: iso(hoursAgo(1)), to: iso(hoursAgo(2)) })).toBe(400);
    expect(await ask({ from: iso(hoursAgo(-5)) })).toBe(400);
    expect(await ask({ step: 'month' })).toBe(400);
    expect(await ask({ from: 'yesterday' })).toBe(400);
    expect((await holdfast.request('GET', '/api/v1/Resource/usage')).status).toBe(400);
  });

  test('as CSV has a line for each step', async () => {
    const answer = await fetch(holdfast.url + path({ resource: 'phone', from: iso(from), step: 'hour' }), {
      headers: { 'X-Api-Key': holdfast.key, Accept: 'text/csv' },
    });
    expect(answer.headers.get('content-type')).toContain('text/csv');
    const [head, first, ...others] = (await answer.text()).split('\r\n');
    expect(head).toBe(
      'from,share,outOfServiceShare,reservations,meanHeldSeconds,p95HeldSeconds,meanWaitedSeconds,p95WaitedSeconds,refusals',
    );
    expect(first).toBe(`${iso(from)},1,0,1,,,,,0`);
    expect(others.length).toBeGreaterThan(2);
  });
});

describe('refusals', () => {
  test('count items, also of transactions, that could not have their resource, by the name that it ends with', async () => {
    await holdfast.register({ name: 'leaf', treePath: 'root' });
    await holdfast.reserve({ resource: 'leaf', requester: 'a' }, { resource: 'taken', requester: 'a' });
    await holdfast.reserve(
      { resource: 'root>leaf', requester: 'b' },
      { resource: 'leaf', requester: 'c' },
      { resource: 'taken', requester: 'a' },
    );
    await holdfast.transaction(
      'ALL_OR_NONE',
      { requestType: 'RESERVE', resource: 'free', requester: 'b' },
      { requestType: 'RESERVE', resource: 'taken', requester: 'b' },
      { requestType: 'RESERVE', resource: 'never', requester: 'b' },
    );
    await until('they are written', async () => (await refusalsOf('taken')) === 1);
    expect(await refusalsOf('leaf')).toBe(2);
    expect([await refusalsOf('free'), await refusalsOf('never'), await refusalsOf('root')]).toEqual([0, 0, 0]);
    const { total, steps } = await usage({ resource: 'leaf', step: 'hour' });
    const counts = steps.map(({ refusals }) => refusals).filter((count) => count > 0);
    expect([total.refusals, ...counts]).toEqual([2, 2]);
  });

  test('count requests that a limit refused, by the limit', async () => {
    const items = Array.from({ length: 301 }, (_, i) => ({ resource: `r${i}`, requester: 'q' }));
    expect((await createClient(holdfast.url, free.key).reserve(...items)).status).toBe(429);
    const limited = await until('it is written', async () => (await refused(free.tenant))[0]);
    expect(limited).toMatchObject({ kind: 'limit', name: 'OperationsPerMinute', count: 1 });
  });

  test('have at most 1,000 resources of an hour, and the rest counts as others', async () => {
    const counts = new RefusalCounts();
    // A tenant of its own: the hour may have ended since the tests before.
    const { engine, credential, stop } = await startEngine();
    const { tenant } = credential;
    await engine.loadTenant(tenant);
    for (let i = 0; i < 1200; i++) counts.countResource(tenant, `many-${i}`);
    await counts.flush(engine.redis, [tenant]);
    for (let i = 1100; i < 1300; i++) counts.countResource(tenant, `many-${i}`);
    await counts.flush(engine.redis, [tenant]);
    const all = await refused(tenant);
    expect(all.filter(({ kind }) => kind === 'resource').length).toBe(1000);
    const of = (wanted: RefusalCount['kind']) =>
      all.filter(({ kind }) => kind === wanted).reduce((sum, { count }) => sum + count, 0);
    expect(of('resource') + of('others')).toBeGreaterThanOrEqual(1400);
    const days = await holdfast.redis.keys(`{${tenant}}:refusals:*`);
    for (const day of days) expect(await holdfast.redis.ttl(day)).toBeGreaterThan(7 * 86_400);
    stop();
  });
});
