/**
 * Changes definitions in Redis and the database (docs/specification.md#store-modes-and-start) in three steps: plan in
 * Redis, which knows the held slots; write to the database, if its version is the planned one; apply in Redis, if its
 * version still is. If a step is lost, the database is right and Redis is refreshed from it (workingCopy.ts).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { and, eq, sql } from 'drizzle-orm';
import { afterCharge, HoldfastError } from '../domain/errors.ts';
import type { Credential } from '../domain/tenants.ts';
import {
  apply,
  CLOSING_MS,
  deleteDefinition,
  PLAN,
  type Planned,
  register,
  reopen,
  replan,
  type Step,
} from '../engine/definitions/changes.ts';
import type { Engine } from '../engine/engine.ts';
import { beingChanged, StaleError } from '../engine/refusal.ts';
import { authorOf } from '../engine/tenant/credentials.ts';
import { note } from '../store/audit.ts';
import type { Database } from '../store/database.ts';
import type { Db } from '../store/db.ts';
import { changedSizes, deleteDefinitions, putDefinitions } from '../store/definitionRows.ts';
import { tenants } from '../store/schema.ts';
import type { DefinitionChanges } from './change.ts';
import type { WorkingCopy } from './workingCopy.ts';

/** Time for which a change retries while others change the tenant's definitions too, in ms. */
const PATIENCE_MS = 5000;
/** Maximum age of a plan, in ms. Later, the names that it closes to reservations may soon open again. */
const MAX_PLAN_AGE_MS = CLOSING_MS / 2;
/** Conflicts before Redis is refreshed. Fewer conflicts only mean that another change is being applied. */
const MAX_CONFLICTS = 3;
/** Maximum number of names in an audit entry. */
const MAX_NAMES_NOTED = 100;

interface Change<P extends Planned> {
  readonly action: string;
  step(step: Step): Promise<P>;
  names(planned: P): readonly string[];
  /** Returns what the audit trail says beside the names. */
  write(tx: Db, tenant: string, planned: P): Promise<object>;
  /** Opens the names that a plan has closed to reservations. */
  reopen(planned: P): Promise<unknown>;
}

interface Stores {
  readonly database: Database;
  readonly engine: Engine;
  readonly copy: WorkingCopy;
}

export function changeInDatabase(database: Database, engine: Engine, copy: WorkingCopy): DefinitionChanges {
  const stores = { database, engine, copy };
  return {
    register: async (credential, items) => {
      const { definitions, quota } = await carryOut(stores, credential, {
        action: 'definitions.register',
        step: (step) => register(engine, credential, items, step),
        names: (planned) => planned.definitions.map(({ name }) => name),
        write: async (tx, tenantId, planned) => {
          const slots = await changedSizes(tx, tenantId, planned.definitions.slice(0, MAX_NAMES_NOTED));
          await putDefinitions(tx, tenantId, planned.definitions);
          return Object.keys(slots).length === 0 ? {} : { slots };
        },
        reopen: async () => {},
      });
      return { result: definitions, quota };
    },
    delete: async (credential, name, cascade) => {
      const step = (one: Step) => deleteDefinition(engine, credential, name, cascade, one);
      const { names, quota } = await carryOut(stores, credential, {
        action: 'definitions.delete',
        step,
        names: (planned) => planned.names,
        write: async (tx, tenantId, planned) => {
          await deleteDefinitions(tx, tenantId, planned.names);
          return {};
        },
        reopen: (planned) => step(reopen(planned)),
      });
      return { result: names, quota };
    },
  };
}

async function carryOut<P extends Planned>(stores: Stores, credential: Credential, change: Change<P>): Promise<P> {
  const start = performance.now();
  const planned = await change.step(PLAN);
  return afterCharge(planned.quota, () => writeAndApply(stores, credential, change, planned, start));
}

/** Carries out a plan. Plans again while others change the tenant's definitions too. */
async function writeAndApply<P extends Planned>(
  stores: Stores,
  credential: Credential,
  change: Change<P>,
  firstPlan: P,
  start: number,
): Promise<P> {
  const { tenant } = credential;
  let [planned, plannedAt] = [firstPlan, start];
  for (let conflicts = 0; ; conflicts++) {
    try {
      if (await write(stores, credential, change, planned, plannedAt)) {
        await change.step(apply(planned)).catch(async (error: unknown) => {
          if (!(error instanceof StaleError)) throw error;
          await stores.copy.refresh(tenant);
        });
        return planned;
      }
      if (performance.now() > start + PATIENCE_MS) throw beingChanged();
      await pause(Math.random() * 20 * (conflicts + 1));
      if (conflicts >= MAX_CONFLICTS) await stores.copy.refresh(tenant);
      plannedAt = performance.now();
      planned = await change.step(replan(planned));
    } catch (error) {
      // If this fails too, the names open after CLOSING_MS.
      await change.reopen(planned).catch(() => {});
      throw error;
    }
  }
}

/** Returns false if the database has another version of the definitions. */
async function write<P extends Planned>(
  { database, engine }: Stores,
  credential: Credential,
  change: Change<P>,
  planned: P,
  plannedAt: number,
): Promise<boolean> {
  const { tenant } = credential;
  const author = await authorOf(engine, credential, planned.keyLabel);
  return database.of(tenant).transaction(async (tx) => {
    const grown = await tx
      .update(tenants)
      .set({ definitionsVersion: planned.version + 1, changedAt: sql`now()` })
      .where(and(eq(tenants.id, tenant), eq(tenants.definitionsVersion, planned.version)))
      .returning({ id: tenants.id });
    if (grown.length === 0) return false;
    const more = await change.write(tx, tenant, planned);
    const names = change.names(planned);
    const details = { names: names.slice(0, MAX_NAMES_NOTED), count: names.length, ...more };
    await note(tx, tenant, { ...author, action: change.action, details });
    if (performance.now() - plannedAt > MAX_PLAN_AGE_MS)
      throw new HoldfastError('unavailable', 'The database took too long. Repeat the call.');
    return true;
  });
}
