/**
 * Metrics of waits: long polls, ends of waits, and their durations.
 */

import { describe, expect, test } from 'vitest';
import type { ReserveResult, TransactionResult } from '../../src/contract/reservations.ts';
import { REMEMBER_MS, StuckQueues } from '../../src/telemetry/counts.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';
import { outcomeOf } from '../../src/waiting/news.ts';
import { holdfast, useInstance } from '../support/instance.ts';
import { parseSamples } from '../support/samples.ts';
import { until } from '../support/until.ts';

useInstance({ env: { METRICS_PORT: '0' } });

const sample = async (name: string) => parseSamples(await holdfast.scrape()).get(name) ?? Number.NaN;
const ended = (outcome: string) => sample(`holdfast_waits_ended_total{outcome="${outcome}"}`);
const held = () => sample('holdfast_long_polls');

const RESERVE = '/api/v1/Reservation/reserve';
const wait = (resource: string, requester = 'waiter', waitSeconds = 60) =>
  holdfast.request<ReserveResult[]>('POST', RESERVE, [{ resource, requester, ttlSeconds: 60, waitSeconds }]);

/** Takes a resource, lets a call wait for it, and returns that call once it has a ticket. */
async function heldUp<Body>(resource: string, call: () => Promise<{ body: Body }>) {
  const [holder] = (await holdfast.reserve({ resource, requester: 'holder' })).body;
  const waiting = call();
  const tickets = () => holdfast.request<unknown[]>('GET', `/api/v1/Reservation/waiting?resource=${resource}`);
  await until('the call has a ticket', async () => (await tickets()).body.length === 1);
  expect(await held()).toBe(1);
  const release = () => holdfast.unreserve({ resource, requester: 'holder', releaseToken: holder?.releaseToken });
  return { waiting, release };
}

describe('waits', () => {
  test('are counted by how they end, from 0, and timed if they are granted', async () => {
    for (const outcome of ['ACQUIRED', 'ALREADY_HAD', 'CANCELLED', 'ELAPSED', 'NOT_VALID', 'RESET'])
      expect([outcome, await ended(outcome)]).toEqual([outcome, 0]);
    const { waiting, release } = await heldUp('granted', () => wait('granted'));
    await release();
    const waitedMs = (await waiting).body[0]?.waitedMs ?? Number.NaN;
    expect([await ended('ACQUIRED'), await held()]).toEqual([1, 0]);
    expect(await sample('holdfast_waiting_seconds_count')).toBe(1);
    expect(await sample('holdfast_waiting_seconds_sum')).toBeCloseTo(waitedMs / 1000, 6);
  });

  test('that end without a grant are distinguished', async () => {
    const cancelled = await heldUp('cancelled', () => wait('cancelled'));
    await holdfast.request('POST', '/api/v1/Reservation/cancel', [{ resource: 'cancelled', requester: 'waiter' }]);
    await cancelled.waiting;
    expect(await ended('CANCELLED')).toBe(1);
    await holdfast.reserve({ resource: 'elapsed', requester: 'holder' });
    await wait('elapsed', 'waiter', 1);
    expect(await ended('ELAPSED')).toBe(1);
    const reset = await heldUp('reset', () => wait('reset'));
    await holdfast.reset();
    await reset.waiting;
    expect(await ended('RESET')).toBe(1);
  });

  test('of transactions are counted as one each', async () => {
    const [acquired, timed] = [await ended('ACQUIRED'), await sample('holdfast_waiting_seconds_count')];
    const requests = ['one', 'two'].map((resource) => ({
      requestType: 'RESERVE',
      resource,
      requester: 'waiter',
      ttlSeconds: 60,
    }));
    const { waiting, release } = await heldUp('two', () =>
      holdfast.request<TransactionResult>('POST', '/api/v1/Reservation/transaction', {
        method: 'ALL_OR_NONE',
        waitSeconds: 60,
        requests,
      }),
    );
    await release();
    expect((await waiting).body.status).toBe('APPLIED');
    expect([await ended('ACQUIRED'), await sample('holdfast_waiting_seconds_count')]).toEqual([
      acquired + 1,
      timed + 1,
    ]);
  });

  test('do not count as time of the request: a long poll counts with the time until it begins', async () => {
    const labels = (route: string) => `{method="POST",route="${route}",status="200"}`;
    const seen = async () => ({
      requests: await sample(`holdfast_http_request_duration_seconds_count${labels(RESERVE)}`),
      seconds: await sample(`holdfast_http_request_duration_seconds_sum${labels(RESERVE)}`),
    });
    await holdfast.reserve({ resource: 'measured', requester: 'holder' });
    const before = await seen();
    const start = performance.now();
    const { body } = await wait('measured', 'waiter', 2);
    const tookS = (performance.now() - start) / 1000;
    expect(body).toMatchObject([{ status: 'ALREADY_HELD' }]);
    const after = await seen();
    expect(tookS).toBeGreaterThan(1.9);
    expect(after.requests - before.requests).toBe(1);
    expect(after.seconds - before.seconds).toBeLessThan(tookS - 1.8);
  });

  test('are not counted for a request that is answered at once', async () => {
    const before = parseSamples(await holdfast.scrape());
    await wait('free');
    await wait('free');
    const after = parseSamples(await holdfast.scrape());
    for (const [name, value] of after)
      if (name.startsWith('holdfast_wait')) expect([name, value]).toEqual([name, before.get(name)]);
  });
});

test('the answer to a caller says how its wait ended', () => {
  const told = [
    ['ACQUIRED', 'ACQUIRED'],
    ['ALREADY_HAD', 'ALREADY_HAD'],
    ['NOT_VALID', 'NOT_VALID: no such slot'],
    ['NOT_AVAILABLE', 'NOT_AVAILABLE: cancelled'],
    ['NOT_AVAILABLE', 'NOT_AVAILABLE: reset'],
    ['NOT_AVAILABLE', 'NOT_AVAILABLE: kept for a waiting request'],
    ['ALREADY_HELD', 'ALREADY_HELD'],
  ] as const;
  expect(told.map(([status, explanation]) => outcomeOf({ status, explanation }))).toEqual([
    'ACQUIRED',
    'ALREADY_HAD',
    'NOT_VALID',
    'CANCELLED',
    'RESET',
    'ELAPSED',
    'ELAPSED',
  ]);
});

describe('queues that do not move by themselves', () => {
  test('show in the metric once a sweep has found them', async () => {
    const metrics = new Metrics();
    const stuck = async () => parseSamples(await metrics.text()).get('holdfast_stuck_queues');
    metrics.countSweep(3, []);
    expect(await stuck()).toBe(0);
    metrics.countSweep(0, ['one', 'two']);
    metrics.countSweep(0, ['two']);
    metrics.countSweep(0, []);
    expect(await stuck()).toBe(2);
  });

  test('are forgotten after a while', () => {
    const queues = new StuckQueues();
    queues.note(['one'], 0);
    queues.note(['two'], 1000);
    queues.note(['one'], 2000);
    expect(queues.count(REMEMBER_MS + 999)).toBe(2);
    expect(queues.count(REMEMBER_MS + 1000)).toBe(1);
    expect(queues.count(REMEMBER_MS + 2000)).toBe(0);
  });
});
