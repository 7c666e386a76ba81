/**
 * The working copy of tenants in Redis (docs/specification.md#store-modes-and-start): made when a tenant is first
 * needed, and refreshed when Redis differs from the database.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { and, asc, eq, gt, gte, isNull, or } from 'drizzle-orm';
import { HoldfastError } from '../domain/errors.ts';
import { asService } from '../domain/tenants.ts';
import { restoreBookings } from '../engine/bookingCopies.ts';
import { isSameDefinition, removal, type StoredDefinition, toStored } from '../engine/definitions/codec.ts';
import {
  copyDefinitions,
  dropCopyLease,
  takeCopyLease,
  type Versions,
  versionsInRedis,
} from '../engine/definitions/copy.ts';
import { definitions as listDefinitions } from '../engine/definitions/list.ts';
import type { Engine } from '../engine/engine.ts';
import { visitBy } from '../engine/expiry/dueIndex.ts';
import { restoreOut } from '../engine/reservations/conditions.ts';
import { loadTenant, purgeTenant } from '../engine/tenant/record.ts';
import { tenantKey } from '../redis/keys.ts';
import { send } from '../redis/send.ts';
import { ownerOf } from '../redis/topology.ts';
import { TENANT_DELETE } from '../store/audit.ts';
import { readBookings } from '../store/bookings.ts';
import type { Database } from '../store/database.ts';
import { readOutOfService } from '../store/outOfService.ts';
import { readRecord } from '../store/records.ts';
import { audit, definitions, tenants } from '../store/schema.ts';

/** Time for which a caller waits for a copy, in ms. */
const PATIENCE_MS = 30_000;
/** Interval of checks of a copy that another instance is making, in ms. */
const POLL_MS = 25;
/** Tenants that one query reads. */
const PAGE = 500;

export class WorkingCopy {
  readonly #database: Database;
  readonly #engine: Pick<Engine, 'redis' | 'tiers'>;
  /** The copies that this instance is making. */
  readonly #inFlight = new Map<string, Promise<boolean>>();

  constructor(database: Database, engine: Pick<Engine, 'redis' | 'tiers'>) {
    this.#database = database;
    this.#engine = engine;
  }

  /**
   * Brings a tenant in Redis up to date with the database.
   * @returns false if there is no such tenant
   * @throws HoldfastError unavailable
   */
  refresh(tenant: string): Promise<boolean> {
    const inFlight = this.#inFlight.get(tenant);
    if (inFlight !== undefined) return inFlight;
    const refreshed = this.#refresh(tenant).finally(() => this.#inFlight.delete(tenant));
    this.#inFlight.set(tenant, refreshed);
    return refreshed;
  }

  /**
   * Refreshes the copies of tenants that changed since a time and differ from the database, because of a crash or
   * because Redis lost data. Tenants that Redis does not have are skipped until they are needed.
   * @returns the number of refreshed copies
   * @throws HoldfastError unavailable. If a primary of Redis is unreachable, only after the tenants of the others
   */
  async refreshChanged(since: Date): Promise<number> {
    let refreshed = 0;
    const unreachable = new Map<string, unknown>();
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
        if (unreachable.has(primary)) continue;
        try {
          const copied = await versionsInRedis(this.#engine.redis, id);
          if (copied === null || isSame(copied, tenant)) continue;
          await this.refresh(id);
          refreshed++;
        } catch (error) {
          unreachable.set(primary, error);
        }
      }
      if (page.length < PAGE) {
        for (const error of unreachable.values()) throw error;
        return refreshed;
      }
    }
  }

  /**
   * Deletes what Redis has of tenants that were deleted since a time: the instance that deleted them died halfway.
   * @returns the number of tenants that Redis still had
   * @throws HoldfastError unavailable
   */
  async purgeDeleted(since: Date): Promise<number> {
    const deleted = await this.#database.run((db) =>
      db
        .selectDistinct({ tenant: audit.tenantId })
        .from(audit)
        .leftJoin(tenants, eq(tenants.id, audit.tenantId))
        .where(and(gte(audit.at, since), eq(audit.action, TENANT_DELETE), isNull(tenants.id))),
    );
    let purged = 0;
    for (const { tenant } of deleted) {
      if ((await send(() => this.#engine.redis.exists(tenantKey(tenant)))) === 0) continue;
      await purgeTenant({ ...this.#engine, loadTenant: async () => false }, tenant);
      purged++;
    }
    return purged;
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
        await pause(POLL_MS);
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

  /** Returns false if the lease was lost. */
  async #copy(tenant: string, lease: string): Promise<boolean> {
    const { redis } = this.#engine;
    // Read with the lease held: a change of the tenant from now on either takes the lease or finds the copy complete.
    const copied = await versionsInRedis(redis, tenant);
    const wanted = await this.#database.snapshot(async (tx) => {
      const read = await readRecord(tx, tenant);
      if (read === null) return null;
      const isCopied = copied?.definitionsVersion === read.definitionsVersion;
      const all = isCopied ? null : await tx.select().from(definitions).where(eq(definitions.tenantId, tenant));
      // A Redis that has the tenant knows better what is out of service than the copy.
      const out = copied === null ? await readOutOfService(tx, tenant) : [];
      return { ...read, all, out };
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
    if (!(await restoreOut(redis, tenant, lease, wanted.out))) return false;
    const dueMs = copied === null ? await this.#restoreBookings(tenant, lease) : -1;
    if (dueMs === null) return false;
    const { record, definitionsVersion } = wanted;
    if (!(await loadTenant(redis, record, { definitionsVersion, lease }))) return false;
    await visitBy(redis, tenant, dueMs);
    return true;
  }

  /** Returns when the first of them is due, in ms, -1: there are none; null if the lease was lost. */
  async #restoreBookings(tenant: string, lease: string): Promise<number | null> {
    let dueMs = -1;
    for await (const page of readBookings(this.#database, tenant, true)) {
      const due = await restoreBookings(this.#engine.redis, tenant, lease, page);
      if (due === null) return null;
      dueMs = due;
    }
    return dueMs;
  }
}

const isSame = (one: Versions, other: Versions) =>
  one.version === other.version && one.definitionsVersion === other.definitionsVersion;

/**
 * Lists the definitions to copy, in an order in which a parent is always there: changed definitions parents first, then
 * removed ones parents last.
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
    ...removed.toSorted((one, other) => depthNow(other.name) - depthNow(one.name)).map(removal),
  ];
}

/** Counts the ancestors of names. */
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
