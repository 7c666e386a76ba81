/**
 * The working copy of tenants in Redis (docs/specification.md#store-modes-and-start): made when a tenant is first
 * needed, and made anew wherever Redis has not what the database has.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { and, asc, eq, gt, gte, or } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import { asService } from '../domain/tenants.ts';
import type { Engine } from '../engine/call.ts';
import { isSameDefinition, type StoredDefinition, toStored } from '../engine/definitions/codec.ts';
import {
  copyDefinitions,
  dropCopyLease,
  takeCopyLease,
  type Versions,
  versionsInRedis,
} from '../engine/definitions/copy.ts';
import { definitions as listDefinitions } from '../engine/definitions/list.ts';
import { loadTenant } from '../engine/tenant/load.ts';
import { tenantKey } from '../redis/keys.ts';
import { ownerOf } from '../redis/topology.ts';
import type { Database } from '../store/database.ts';
import { readRecord } from '../store/records.ts';
import { definitions, tenants } from '../store/schema.ts';

/** ms that a caller waits for a copy to be made. */
const PATIENCE_MS = 30_000;
/** ms between looks at a copy that somebody else is making. */
const LOOK_EVERY_MS = 25;
/** Tenants looked at in one query. */
const PAGE = 500;

export class WorkingCopy {
  readonly #database: Database;
  readonly #engine: Pick<Engine, 'redis' | 'tiers'>;
  /** Those that this instance is making. */
  readonly #underway = new Map<string, Promise<boolean>>();

  constructor(database: Database, engine: Pick<Engine, 'redis' | 'tiers'>) {
    this.#database = database;
    this.#engine = engine;
  }

  /**
   * Makes Redis have what the database has of a tenant.
   * @returns false where there is no such tenant
   * @throws HoldfastError unavailable
   */
  refresh(tenant: string): Promise<boolean> {
    const underway = this.#underway.get(tenant);
    if (underway !== undefined) return underway;
    const refreshed = this.#refresh(tenant).finally(() => this.#underway.delete(tenant));
    this.#underway.set(tenant, refreshed);
    return refreshed;
  }

  /**
   * Refreshes the copies, of tenants changed since, that differ from the database: what was written there and, by a
   * crash or by Redis's losing it, not here. Tenants that Redis does not know are left until they are needed.
   * @returns how many it had to refresh
   * @throws HoldfastError unavailable; of a primary of Redis, once the tenants of the others have been looked at
   */
  async refreshChanged(since: Date): Promise<number> {
    let refreshed = 0;
    const away = new Map<string, unknown>();
    let [changedAt, id] = [since, ''];
    for (;;) {
      const page = await this.#database.run((db) =>
        db
          .select()
          .from(tenants)
          .where(
            and(
              gte(tenants.changedAt, changedAt),
              or(gt(tenants.changedAt, changedAt), and(eq(tenants.changedAt, changedAt), gt(tenants.id, id))),
            ),
          )
          .orderBy(asc(tenants.changedAt), asc(tenants.id))
          .limit(PAGE),
      );
      for (const tenant of page) {
        [changedAt, id] = [tenant.changedAt, tenant.id];
        const primary = ownerOf(this.#engine.redis, tenantKey(id));
        if (away.has(primary)) continue;
        try {
          const copied = await versionsInRedis(this.#engine.redis, id);
          if (copied === null || isSame(copied, tenant)) continue;
          await this.refresh(id);
          refreshed++;
        } catch (error) {
          away.set(primary, error);
        }
      }
      if (page.length < PAGE) {
        for (const error of away.values()) throw error;
        return refreshed;
      }
    }
  }

  async #refresh(tenant: string): Promise<boolean> {
    const { redis } = this.#engine;
    const patienceEnds = performance.now() + PATIENCE_MS;
    while (performance.now() < patienceEnds) {
      const [versions] = await this.#database.run((db) =>
        db
          .select({ version: tenants.version, definitionsVersion: tenants.definitionsVersion })
          .from(tenants)
          .where(eq(tenants.id, tenant)),
      );
      if (versions === undefined) return false;
      const copied = await versionsInRedis(redis, tenant);
      if (copied !== null && isSame(copied, versions)) return true;
      const lease = randomUUID();
      if (!(await takeCopyLease(redis, tenant, lease))) {
        await pause(LOOK_EVERY_MS);
        continue;
      }
      try {
        if (await this.#copy(tenant, lease)) return true;
      } catch (error) {
        await dropCopyLease(redis, tenant).catch(() => {});
        throw error;
      }
    }
    throw new HoldfastError('unavailable', 'The tenant is being loaded. Repeat the call.');
  }

  /** Returns false where the lease was lost meanwhile. */
  async #copy(tenant: string, lease: string): Promise<boolean> {
    const { redis } = this.#engine;
    // Only now, with the lease: whoever changes the tenant from now on either takes it away or finds the copy made.
    const copied = await versionsInRedis(redis, tenant);
    const wanted = await this.#database.snapshot(async (tx) => {
      const read = await readRecord(tx, tenant);
      if (read === null) return null;
      const isCopied = copied?.definitionsVersion === read.definitionsVersion;
      const all = isCopied ? null : await tx.select().from(definitions).where(eq(definitions.tenantId, tenant));
      return { ...read, all };
    });
    if (wanted === null) return true;
    if (wanted.all === null) {
      await dropCopyLease(redis, tenant);
      return loadTenant(redis, wanted.record);
    }
    const engine: Engine = { ...this.#engine, loadTenant: async () => false };
    const there = new Map<string, StoredDefinition>();
    for await (const { rows } of listDefinitions(engine, asService(tenant)))
      for (const row of rows) there.set(row.name, toStored(row));
    if (!(await copyDefinitions(redis, tenant, lease, difference(wanted.all, there)))) return false;
    return loadTenant(redis, wanted.record, { definitionsVersion: wanted.definitionsVersion, lease });
  }
}

const isSame = (one: Versions, other: Versions) =>
  one.version === other.version && one.definitionsVersion === other.definitionsVersion;

/**
 * What to copy, in an order in which what is above others is always there: those above first, and of those to be
 * removed last.
 */
function difference(
  wanted: readonly StoredDefinition[],
  there: ReadonlyMap<string, StoredDefinition>,
): StoredDefinition[] {
  const byName = new Map(wanted.map((one) => [one.name, one]));
  const changed = wanted.filter((one) => {
    const row = there.get(one.name);
    return row === undefined || !isSameDefinition(row, one);
  });
  const removed = [...there.values()].filter(({ name }) => !byName.has(name));
  const depthNow = depths((name) => there.get(name)?.parent ?? null);
  const depthThen = depths((name) => byName.get(name)?.parent ?? null);
  return [
    ...changed.toSorted((one, other) => depthThen(one.name) - depthThen(other.name)),
    ...removed
      .toSorted((one, other) => depthNow(other.name) - depthNow(one.name))
      .map(({ name }) => ({ name, capacity: 0, parent: null, blocks: [] })),
  ];
}

/** How many are above a name. */
function depths(parentOf: (name: string) => string | null): (name: string) => number {
  const known = new Map<string, number>();
  const depthOf = (name: string): number => {
    const depth = known.get(name);
    if (depth !== undefined) return depth;
    const parent = parentOf(name);
    const found = parent === null ? 0 : depthOf(parent) + 1;
    known.set(name, found);
    return found;
  };
  return depthOf;
}
