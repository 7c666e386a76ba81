/**
 * Figures of a tenant's resources in the last days (docs/specification.md#usage-of-resources): which are used most,
 * which people wait for, which nobody needs, and what was refused. Everything that it reads is bounded.
 */
import type { OutOfService } from '../domain/conditions.ts';
import type { HolderUsage, Known, OutNow, Pools, PoolUsage } from '../domain/history.ts';
import { PATH_DELIMITER } from '../domain/names.ts';
import { explainsWaits, type OneMore, withOneMore } from '../domain/oneMore.ts';
import type { Credential } from '../domain/tenants.ts';
import { type Frame, heldNow, shareOf, stepOf, usageOf, withHeld } from '../domain/usage.ts';
import { definitions } from '../engine/definitions/list.ts';
import type { Engine } from '../engine/engine.ts';
import { capacityOf, heldOfTenant } from '../engine/reservations/active.ts';
import { outOfService } from '../engine/reservations/conditions.ts';
import { allRefusals } from '../engine/tenant/refusals.ts';
import { debitLooked } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import { measureUsage, type UsageDeps } from './usage.ts';

const DAY_MS = 86_400_000;
/** The longest time that trends show hour by hour, and whose refusals are still in Redis, in days. */
export const WEEK = 7;
/** Registered resources, and reservations in force, that are looked at. */
const MAX_LOOKED = 20_000;
/** The most rows of a list. */
const LIMIT = 20;
const HOUR_MS = 3_600_000;
/** Pools whose trend is read, and entries of each. */
const MAX_TRENDS = 4;
const MAX_ENTRIES = 1000;
/** Resources that people waited for longest that are looked at, with as many entries of each. */
const MAX_SHORT = 6;

/** Number of refusals. */
export interface Refused {
  readonly name: string;
  readonly count: number;
}

/** How many slots of a pool were in use, step by step, and what one more would have saved. */
export interface PoolTrend {
  readonly resource: string;
  readonly capacity: number;
  /** By the hour; by the day if the time is longer than a week. */
  readonly steps: readonly HourShare[];
  /** null: it was used more often than can be looked at */
  readonly oneMore: OneMore | null;
}

/** A resource that people waited for, and what one more slot would have saved. */
export interface Short {
  readonly resource: string;
  readonly capacity: number;
  readonly oneMore: OneMore;
}

/** The share of all slots that was in use in an hour, or in a longer step. */
export interface HourShare {
  /** ms since 1970 UTC */
  readonly startMs: number;
  /** 0 to 1 */
  readonly share: number;
}

export interface Insight {
  /** When the history begins, if that is within the time, in ms since 1970 UTC: shares are of the time since then. */
  readonly sinceMs: number | null;
  readonly pools: Pools;
  /** Of all resources together. */
  readonly reservations: number;
  readonly meanWaitedMs: number | null;
  readonly share: number;
  readonly hours: readonly HourShare[];
  readonly trends: readonly PoolTrend[];
  /** Those with too few slots, where one more would have saved most first. */
  readonly short: readonly Short[];
  /** Who held most, the most first. */
  readonly holders: readonly HolderUsage[];
  /** Of the last week at most. The most often first. */
  readonly refusedResources: readonly Refused[];
  readonly refusedLimits: readonly Refused[];
  /** Refusals of resources that have no count of their own. */
  readonly refusedOthers: number;
}

/**
 * Reads it. A page of the dashboard has been charged a read; a long history costs more.
 * @param days up to now
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readInsight(
  { engine, history, reads }: Pick<OperationDeps, 'engine' | 'history' | 'reads'>,
  credential: Credential,
  days: number,
): Promise<Insight> {
  const { tenant } = credential;
  const now = Date.now();
  const fromMs = now - days * DAY_MS;
  const frame = { fromMs: Math.floor(fromMs / HOUR_MS) * HOUR_MS, toMs: now, stepMs: HOUR_MS };
  const [past, known, held, out, refusals] = await Promise.all([
    history.hours(tenant, frame),
    readKnown(engine, credential),
    heldOfTenant(engine.redis, tenant, MAX_LOOKED),
    outOfService(engine.redis, tenant, MAX_LOOKED),
    readRefusals(engine, tenant, now - Math.min(WEEK, days) * DAY_MS, now),
  ]);
  const inForce = withHeld(usageOf([], frame), held, frame, now);
  const heldMs = past.heldMs.map((ms, i) => ms + (inForce.steps[i]?.heldMs ?? 0));
  const sinceMs = await historySince(history, tenant, frame, heldMs);
  const span = { fromMs: Math.max(fromMs, sinceMs ?? 0), toMs: now };
  const outNow = outNowOf(out?.slots ?? [], known, span);
  const query = { ...span, known, heldNow: heldNow('resource', held, span, now), outNow, limit: LIMIT };
  const [{ pools, looked }, { holders, looked: also }] = await Promise.all([
    history.pools(tenant, query),
    history.holders(tenant, { ...span, heldNow: heldNow('requester', held, span, now), limit: LIMIT }),
  ]);
  const slots = slotsOf(known, pools);
  const readOneMore = oneMoreReader({ engine, history }, tenant, new Date(fromMs));
  const [trends, short] = await Promise.all([
    readTrends({ engine, history }, tenant, busiestPools(known, pools), days, readOneMore),
    readShort(pools, readOneMore),
  ]);
  const all = [looked, past.looked, also, ...trends.map((one) => one.looked)];
  await debitLooked(reads, credential, sumOf(all));
  return {
    sinceMs,
    pools,
    reservations: past.reservations + inForce.total.reservations,
    meanWaitedMs: past.meanWaitedMs,
    share: shareOf(sumOf(heldMs), slots, frame.toMs - (sinceMs ?? frame.fromMs)),
    hours: heldMs.map((ms, i) => {
      const { fromMs, toMs } = stepOf(frame, i);
      return { startMs: fromMs, share: shareOf(ms, slots, toMs - fromMs) };
    }),
    trends: trends.map(({ trend }) => trend),
    short,
    holders,
    ...refusals,
  };
}

/**
 * Returns when a tenant's history begins: the first step in which something was used, if nothing ended before.
 * @param heldMs of each step of the frame, how long slots were held
 * @returns ms since 1970 UTC; null: before the frame, or there is none
 * @throws HoldfastError unavailable
 */
export async function historySince(
  history: Pick<OperationDeps['history'], 'page'>,
  tenant: string,
  { fromMs, stepMs }: Frame,
  heldMs: readonly number[],
): Promise<number | null> {
  const first = heldMs.findIndex((ms) => ms > 0);
  if (first < 1) return null;
  const { entries, next } = await history.page(tenant, { to: new Date(fromMs) }, undefined, 1);
  return entries.length > 0 || next !== null ? null : fromMs + first * stepMs;
}

/** Sums up what is out of service by resource. */
function outNowOf(
  slots: readonly OutOfService[],
  known: ReadonlyMap<string, Known>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): OutNow[] {
  const sums = new Map<string, number>();
  for (const { slot, sinceMs } of slots) {
    const resource = known.has(slot) ? slot : slot.replace(/_\d+$/, '');
    sums.set(resource, (sums.get(resource) ?? 0) + toMs - Math.max(sinceMs, fromMs));
  }
  return [...sums].map(([resource, outMs]) => ({ resource, outMs }));
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);

/** The slots of all registered resources, and of the others that were used most. */
function slotsOf(known: ReadonlyMap<string, Known>, { byShare }: Pools): number {
  const others = byShare.filter(({ resource }) => !known.has(resource)).length;
  return Math.max(
    1,
    [...known.values()].reduce((sum, { capacity }) => sum + capacity, others),
  );
}

/** The pools with several slots that people waited for, or that were used most. */
function busiestPools(known: ReadonlyMap<string, Known>, { byShare, byWaiting }: Pools): string[] {
  const isPool = ({ resource }: PoolUsage) => (known.get(resource)?.capacity ?? 1) > 1;
  const names = [...byWaiting, ...byShare].filter(isPool).map(({ resource }) => resource);
  return [...new Set(names)].slice(0, MAX_TRENDS);
}

/** How much waiting one more slot of a resource would have saved. */
interface Saving {
  readonly capacity: number;
  readonly oneMore: OneMore;
  /** False if it was used more often than is looked at. */
  readonly isWhole: boolean;
}

/** Returns what reads, once for each resource, what one more slot would have saved of its latest uses. */
function oneMoreReader({ engine, history }: UsageDeps, tenant: string, from: Date) {
  const read = async (resource: string): Promise<Saving> => {
    const [capacity, { entries, next }] = await Promise.all([
      capacityOf(engine.redis, tenant, resource),
      history.page(tenant, { resource, from }, undefined, MAX_ENTRIES),
    ]);
    const served = entries.filter(({ kind }) => kind !== 'OUT_OF_SERVICE');
    return { capacity, oneMore: withOneMore(served, capacity), isWhole: next === null };
  };
  const known = new Map<string, Promise<Saving>>();
  return (resource: string): Promise<Saving> => {
    const saving = known.get(resource) ?? read(resource);
    known.set(resource, saving);
    return saving;
  };
}

type ReadOneMore = ReturnType<typeof oneMoreReader>;

/** Reads how pools were used, step by step. */
const readTrends = (
  deps: UsageDeps,
  tenant: string,
  resources: readonly string[],
  days: number,
  readOneMore: ReadOneMore,
) =>
  Promise.all(
    resources.map(async (resource) => {
      const from = new Date(Date.now() - days * DAY_MS);
      const step = days > WEEK ? 'day' : 'hour';
      const [{ usage, looked }, { capacity, oneMore, isWhole }] = await Promise.all([
        measureUsage(deps, tenant, { resource, from, to: undefined, step }),
        readOneMore(resource),
      ]);
      const steps = usage.steps.map((one) => ({ startMs: Date.parse(one.from), share: one.share }));
      return { trend: { resource, capacity, steps, oneMore: isWhole ? oneMore : null }, looked };
    }),
  );

/** Finds the resources that one more slot would have helped, of those that people waited for longest together. */
async function readShort({ byWaiting }: Pools, readOneMore: ReadOneMore): Promise<Short[]> {
  const waitedMs = ({ meanWaitedMs, waited, gaveUp }: PoolUsage) => (meanWaitedMs ?? 0) * (waited + gaveUp);
  const names = byWaiting.toSorted((one, other) => waitedMs(other) - waitedMs(one)).slice(0, MAX_SHORT);
  const all = await Promise.all(
    names.map(async ({ resource }) => {
      const { capacity, oneMore } = await readOneMore(resource);
      return { resource, capacity, oneMore };
    }),
  );
  const savedMs = ({ oneMore }: Short) => oneMore.waitedMs - oneMore.waitedThenMs;
  const isShort = (one: Short) => savedMs(one) > 0 && explainsWaits(one.oneMore);
  return all.filter(isShort).sort((one, other) => savedMs(other) - savedMs(one));
}

/** Reads which resources can be reserved, and which others take along. */
export async function readKnown(engine: Engine, credential: Credential): Promise<ReadonlyMap<string, Known>> {
  const capacities = new Map<string, number>();
  const takenAlong = new Set<string>();
  for await (const { rows } of definitions(engine, credential)) {
    for (const { name, capacity, blocks, treePath } of rows) {
      // A group has no slots.
      if (capacity != null) capacities.set(name, capacity);
      for (const other of [...blocks, ...(treePath?.split(PATH_DELIMITER) ?? [])]) takenAlong.add(other);
    }
    if (capacities.size >= MAX_LOOKED) break;
  }
  return new Map([...capacities].map(([name, capacity]) => [name, { capacity, isTakenAlong: takenAlong.has(name) }]));
}

async function readRefusals(engine: Engine, tenant: string, fromMs: number, toMs: number) {
  const sums = { resource: new Map<string, number>(), limit: new Map<string, number>(), others: 0 };
  for await (const counts of allRefusals(engine.redis, tenant, fromMs, toMs))
    for (const { kind, name, count } of counts)
      if (kind === 'others') sums.others += count;
      else sums[kind].set(name, (sums[kind].get(name) ?? 0) + count);
  return {
    refusedResources: most(sums.resource),
    refusedLimits: most(sums.limit),
    refusedOthers: sums.others,
  };
}

const most = (counts: ReadonlyMap<string, number>): Refused[] =>
  [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, LIMIT);
