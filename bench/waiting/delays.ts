/**
 * The time from the end of a reservation until the response to the caller who waits for it at another instance, while
 * nothing else happens: after a release, compared with a reserve and an event, and after the end of a lease.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { Connection } from '../client.ts';
import { latency } from '../families/streams.ts';
import { percentilesOf } from '../load.ts';
import { openStreams } from '../openStreams.ts';
import { freshName, release, reserveFor, reserveInTurn } from '../requests.ts';
import { figureOf, inTurn, Series } from '../rounds.ts';
import type { RunningServer } from '../servers.ts';
import { headOf, type Stage } from '../stage.ts';
import type { Table } from '../table.ts';

const RELEASES = 200;
const PAUSE_MS = 2;
const LEASES = 400;
/** A lease begins, and so one ends, every so many milliseconds. */
const APART_MS = 8;

const Leased = z.tuple([z.object({ expiresAt: z.iso.datetime() })]);

/** @param other the instance of the callers who wait */
export async function delays(stage: Stage, table: Table, other: RunningServer): Promise<void> {
  const events = new Series(() => latency(stage, other));
  const releases = new Series(() => afterReleases(stage, other));
  await inTurn([events, releases]);
  const sums = releases.samples.map(({ reserveMs }, i) => reserveMs + (events.samples[i]?.p50Ms ?? Number.NaN));
  const what = 'release to the response of the next owner, another instance, idle';
  table.add({
    what: `${what}: p50`,
    figure: releases.figure(({ p50Ms }) => p50Ms),
    unit: 'ms',
    beside: { what: 'p50 of a reserve + p50 of an event there', figure: figureOf(sums) },
    target: { of: 'ratio', atMost: 1 },
  });
  table.add({
    what: `${what}: p99`,
    figure: releases.figure(({ p99Ms }) => p99Ms),
    unit: 'ms',
    target: { of: 'figure', atMost: 5 },
  });
  const due = await afterLeases(stage, other);
  for (const [name, atMost] of [
    ['p50', 20],
    ['p99', 100],
  ] as const)
    table.add({
      what: `end of a lease to the response of the next owner, ${LEASES} leases: ${name}`,
      figure: figureOf([due[`${name}Ms`]]),
      unit: 'ms',
      target: { of: 'figure', atMost },
    });
}

/** Releases names that a caller at the other instance waits for, one at a time. Negative if its response came first. */
async function afterReleases(
  { service, tenant }: Stage,
  other: RunningServer,
): Promise<{ p50Ms: number; p99Ms: number; reserveMs: number }> {
  const arrived = new Map<string, () => void>();
  const opened = await openStreams(service.port, tenant.key, 1, (text) => {
    for (const [, resource] of text.matchAll(/"type":"WAITING".*?"resource":"([^"]+)"/g))
      arrived.get(resource ?? '')?.();
  });
  const [holder, waiter] = [service, other].map(({ port }) => new Connection(port, headOf(tenant)));
  if (holder === undefined || waiter === undefined) throw new Error('no connections');
  const times: number[] = [];
  const reserves: number[] = [];
  for (let i = 0; i < RELEASES; i++) {
    const name = freshName();
    const isWaiting = new Promise<void>((resolve) => arrived.set(name, resolve));
    const start = performance.now();
    const held = await reserveFor(holder, name, 'holder');
    reserves.push(performance.now() - start);
    const next = reserveInTurn(waiter, name, 'waiter').then((results) => ({ results, at: performance.now() }));
    await isWaiting;
    await pause(PAUSE_MS);
    await release(holder, held);
    const releasedAt = performance.now();
    const { results, at } = await next;
    times.push(at - releasedAt);
    await release(waiter, results);
    await pause(PAUSE_MS);
  }
  for (const connection of [holder, waiter]) connection.close();
  for (const stream of opened) stream.destroy();
  return { ...percentilesOf(times), reserveMs: percentilesOf(reserves).p50Ms };
}

/** Lets leases of a second end, each of a name that a caller at the other instance waits for. */
async function afterLeases(
  { service, tenant }: Stage,
  other: RunningServer,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const holder = new Connection(service.port, headOf(tenant));
  const waits: Promise<number>[] = [];
  for (let i = 0; i < LEASES; i++) {
    const name = freshName();
    const [{ expiresAt }] = Leased.parse(JSON.parse(await reserveFor(holder, name, 'holder', 1)));
    const waiter = new Connection(other.port, headOf(tenant));
    waits.push(
      reserveInTurn(waiter, name, 'waiter').then(() => {
        waiter.close();
        return Date.now() - Date.parse(expiresAt);
      }),
    );
    await pause(APART_MS);
  }
  const times = await Promise.all(waits);
  holder.close();
  return percentilesOf(times);
}
