/**
 * Reads: check and available, compared with the ceiling; all reservations and a tree of 1,000 nodes of tenants with few
 * and many reservations, compared with plain reads of the same hashes.
 */
import { get } from 'node:http';
import { reserve } from '../../src/engine/reservations/reserve.ts';
import { cpuOf } from '../load.ts';
import { openStreams } from '../openStreams.ts';
import { available, check, reserveOne } from '../requests.ts';
import { inTurn, ROUNDS, Series } from '../rounds.ts';
import { loadOver, register, resetAll, type Stage, straight } from '../stage.ts';
import type { Table } from '../table.ts';

const FEW = 1000;

export async function reads(stage: Stage, table: Table): Promise<void> {
  const { service, ceiling, tenant } = stage;
  await hold(stage, FEW);
  const subscriber = await openStreams(service.port, tenant.key, 1);
  const over = (server: typeof service, work: Parameters<typeof loadOver>[3]) =>
    new Series(() => loadOver(stage, server, 64, work));
  const posts = over(ceiling, (one) => reserveOne(one));
  const gets = over(ceiling, (one) => available(one, nameOf(0)));
  const checks = over(service, (one, i) => check(one, nameOf(i)));
  const availables = over(service, (one, i) => available(one, nameOf(i)));
  await inTurn([posts, checks, gets, availables]);
  for (const [what, series, most] of [
    ['check', checks, posts],
    ['available', availables, gets],
  ] as const)
    table.add({
      what: `${what}, 64 connections`,
      figure: series.figure(({ perSecond }) => perSecond),
      unit: 'requests/s',
      beside: { what: 'ceiling', figure: most.figure(({ perSecond }) => perSecond) },
      cpu: cpuOf(series.samples),
    });
  for (const stream of subscriber) stream.destroy();
  await lookThrough(stage, table, FEW);
  await resetAll(stage, [tenant]);
}

/** Returns the name of the i-th reserved resource. */
export const nameOf = (i: number): string => `held-${String(i).padStart(7, '0')}`;

/** Reserves resources for the tenant through the engine. */
export async function hold(stage: Stage, count: number, ttlSeconds?: number): Promise<void> {
  let next = 0;
  const filler = async () => {
    while (next < count) {
      const start = next;
      next += 500;
      const items = Array.from({ length: Math.min(500, count - start) }, (_, i) => ({
        resource: nameOf(start + i),
        requester: 'worker-1',
        ttlSeconds,
      }));
      await reserve(stage.engine, stage.credential, items);
    }
  };
  await straight(stage, () => Promise.all(Array.from({ length: 4 }, filler)));
}

/** Reads all reservations of the tenant, and its tree. */
export async function lookThrough(stage: Stage, table: Table, held: number, rounds = ROUNDS): Promise<void> {
  const { service, tenant, redis } = stage;
  const ofTenant = `{${tenant.tenant}}`;
  await register(stage, tenant, TREE);
  const slots = `${ofTenant}:slots`;
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const scan = async () => {
    let cursor = '0';
    do [cursor] = await redis.hscan(slots, cursor, 'COUNT', 1000);
    while (cursor !== '0');
  };
  const rows = [
    ['activeReservations', '/api/v1/Reservation/activeReservations', 'HSCAN of the same', scan],
    [
      'tree of 1,000 nodes',
      '/api/v1/Resource/tree',
      'HGETALL of the same',
      async () => void (await redis.hgetall(`${ofTenant}:definitions`)),
    ],
  ] as const;
  for (const [what, path, beside, bare] of rows) {
    const ours = new Series(() => timed(() => download(service.port, path, tenant.key)));
    const theirs = new Series(() => straight(stage, () => timed(bare)));
    await inTurn([ours, theirs], rounds);
    table.add({
      what: `${what}, ${held.toLocaleString('en')} held`,
      figure: ours.figure(Number),
      unit: 'ms',
      beside: { what: beside, figure: theirs.figure(Number) },
    });
  }
}

/** 10 roots with 10 nodes each. 90 of these have 9 leaves, the others some. */
const TREE = Array.from({ length: 1000 }, (_, i) => {
  const [root, branch] = [`root${i % 10}`, `branch${i % 100}`];
  if (i < 10) return { name: root, capacity: 100 };
  if (i < 110) return { name: `branch${i - 10}`, capacity: 10, treePath: `root${(i - 10) % 10}` };
  return { name: `leaf${i}`, capacity: 2, treePath: `${root}>${branch}` };
});

/** Reads a response to its end and drops it. */
function download(port: number, path: string, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ port, path, headers: { 'X-Api-Key': key } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`));
      response.resume().once('end', resolve).once('error', reject);
    }).once('error', reject);
  });
}
