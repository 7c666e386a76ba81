/**
 * Figures of a tenant's resources in the last week (docs/specification.md#usage-of-resources): which are used most,
 * which people wait for, which nobody needs, and what was refused. Everything that it reads is bounded.
 */
import type { Known, Pools } from '../domain/history.ts';
import { PATH_DELIMITER } from '../domain/names.ts';
import type { Credential } from '../domain/tenants.ts';
import { heldNow } from '../domain/usage.ts';
import { definitions } from '../engine/definitions/list.ts';
import type { Engine } from '../engine/engine.ts';
import { heldOfTenant } from '../engine/reservations/active.ts';
import { allRefusals } from '../engine/tenant/refusals.ts';
import { debitLooked } from './charging.ts';
import type { OperationDeps } from './deps.ts';

const WEEK_MS = 7 * 86_400_000;
/** Registered resources, and reservations in force, that are looked at. */
const MAX_LOOKED = 20_000;
/** The most rows of a list. */
const LIMIT = 20;

/** Number of refusals. */
export interface Refused {
  readonly name: string;
  readonly count: number;
}

export interface Insight {
  readonly pools: Pools;
  /** The most often first. */
  readonly refusedResources: readonly Refused[];
  readonly refusedLimits: readonly Refused[];
  /** Refusals of resources that have no count of their own. */
  readonly refusedOthers: number;
}

/**
 * Reads it. A page of the dashboard has been charged a read; a long history costs more.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readInsight(
  { engine, history, reads }: Pick<OperationDeps, 'engine' | 'history' | 'reads'>,
  credential: Credential,
): Promise<Insight> {
  const { tenant } = credential;
  const now = Date.now();
  const span = { fromMs: now - WEEK_MS, toMs: now };
  const [known, held, refusals] = await Promise.all([
    readKnown(engine, credential),
    heldOfTenant(engine.redis, tenant, MAX_LOOKED),
    readRefusals(engine, tenant, span.fromMs, now),
  ]);
  const query = { ...span, known, heldNow: heldNow(held, span, now), limit: LIMIT };
  const { pools, looked } = await history.pools(tenant, query);
  await debitLooked(reads, credential, looked);
  return { pools, ...refusals };
}

/** Reads which resources can be reserved, and which others take along. */
async function readKnown(engine: Engine, credential: Credential): Promise<ReadonlyMap<string, Known>> {
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
