/**
 * A tenant's API keys: list, read, create, change, rotate, delete (docs/specification.md#identity, #restricted-keys).
 * For people and management tokens.
 */
import { randomUUID } from 'node:crypto';
import { LimitError } from '../domain/errors.ts';
import type { Charged } from '../domain/quota.ts';
import type { KeyLimits } from '../domain/tenants.ts';
import type { Engine } from '../engine/engine.ts';
import { lastUses } from '../engine/tenant/activity.ts';
import { verifyCredential } from '../engine/tenant/credentials.ts';
import { chargeWrite, emitLimitReached } from '../engine/tenant/usage.ts';
import { digestOf, makeKey, type Sealer } from '../identity/credentials.ts';
import * as store from '../store/keys.ts';
import type { Store } from '../store/records.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import type { Actor } from './permissions.ts';

export interface KeyDeps extends Pick<OperationDeps, 'engine' | 'activity' | 'reads'> {
  readonly store: Store;
  readonly sealer: Sealer;
}

/** A key as people and programs see it. */
export interface ListedKey extends Omit<store.KeyRow, 'digest'> {
  /** null: never with its present value */
  readonly usedAt: Date | null;
}

/** A key with its value. */
export interface OpenedKey extends ListedKey {
  readonly key: string;
}

/** The choices for a new key. */
export interface AskedKey extends KeyLimits {
  readonly id?: string | undefined;
  readonly label: string | null;
}

/** Makes the value of a key: the value itself, its digest, and the value encrypted. */
async function newKeyValue(sealer: Sealer, tenant: string) {
  const key = makeKey(tenant);
  return { key, digest: digestOf(key), sealed: await sealer.seal(key) };
}

/** Makes the default key of a new tenant. */
export const newDefaultKey = (sealer: Sealer) => async (tenant: string) => {
  const { digest, sealed } = await newKeyValue(sealer, tenant);
  return { digest, sealed, label: null };
};

/** Adds to keys when they were last used. */
async function withUses(engine: Engine, tenant: string, rows: readonly store.KeyRow[]): Promise<ListedKey[]> {
  const uses = await lastUses(engine, tenant);
  return rows.map(({ digest, ...row }) => {
    const usedAtMs = uses.get(digest);
    return { ...row, usedAt: usedAtMs === undefined ? null : new Date(usedAtMs) };
  });
}

async function withUse(engine: Engine, tenant: string, row: store.KeyRow): Promise<ListedKey> {
  const [listed] = await withUses(engine, tenant, [row]);
  return listed ?? { ...row, usedAt: null };
}

/**
 * Lists all keys, the default key first. Costs nothing.
 * @throws HoldfastError unavailable
 */
export const allKeys = async ({ engine, store: keys }: Pick<KeyDeps, 'engine' | 'store'>, tenant: string) =>
  withUses(engine, tenant, await store.listKeys(keys, tenant));

/**
 * Lists the keys: all of them, the default key first, or a page of them, by id. Costs one read.
 * @param page null: all; `after` is the last id of the previous page
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const listKeys = (
  deps: KeyDeps,
  { credential }: Actor,
  page: { readonly after: string | undefined; readonly limit: number } | null,
): Promise<Charged<ListedKey[]>> => {
  const { tenant } = credential;
  const list = async () =>
    page === null
      ? allKeys(deps, tenant)
      : withUses(deps.engine, tenant, await store.pageOfKeys(deps.store, tenant, page.after, page.limit));
  return countUse(deps, credential, charged(deps.reads.charge(credential, 'keys'), list));
};

/**
 * Reads a key. Costs one read.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const readKey = (deps: KeyDeps, { credential }: Actor, id: string): Promise<Charged<ListedKey>> => {
  const { tenant } = credential;
  const read = async () => withUse(deps.engine, tenant, await store.readKey(deps.store, tenant, id));
  return countUse(deps, credential, charged(deps.reads.charge(credential, 'keys'), read));
};

/**
 * Creates a key. Costs one write. A repeat with the same id and content changes nothing.
 * @returns `isNew` is false for a repeat
 * @throws HoldfastError refused if the id has another content; unauthenticated, forbidden, unavailable; LimitError,
 * also if the tier allows no more keys
 */
export const createKey = (
  deps: KeyDeps,
  by: Actor,
  asked: AskedKey,
): Promise<Charged<{ readonly key: OpenedKey; readonly isNew: boolean }>> => {
  const { credential } = by;
  const { engine, sealer } = deps;
  const { tenant } = credential;
  const create = async () => {
    const { key: made, ...value } = await newKeyValue(sealer, tenant);
    try {
      const wanted = { ...asked, ...value, id: asked.id ?? randomUUID() };
      const { row, isNew } = await store.createKey(deps.store, engine.tiers, tenant, wanted, by);
      const key = isNew ? made : await sealer.open(await store.showKey(deps.store, tenant, row.id, by));
      return { key: { ...(await withUse(engine, tenant, row)), key }, isNew };
    } catch (error) {
      if (error instanceof LimitError) await emitLimitReached(engine, credential, null, 'ApiKeys', error.hit.limit);
      throw error;
    }
  };
  return countUse(deps, credential, charged(chargeWrite(engine, credential, 'keys'), create));
};

/**
 * Changes what a key is called and may do; its value stays. Costs one write.
 * @throws HoldfastError unknown; refused, for a limit of the default key; unauthenticated, forbidden, unavailable;
 * LimitError
 */
export const changeKey = (
  deps: KeyDeps,
  by: Actor,
  id: string,
  change: store.KeyChange,
): Promise<Charged<ListedKey>> => {
  const { tenant } = by.credential;
  const put = async () => withUse(deps.engine, tenant, await store.changeKey(deps.store, tenant, id, change, by));
  return countUse(deps, by.credential, charged(chargeWrite(deps.engine, by.credential, 'keys'), put));
};

/**
 * Gives a key a new value. Costs nothing: the holder of a leaked key could have used up the quota.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable
 */
export async function rotateKey(deps: KeyDeps, by: Actor, id: string): Promise<OpenedKey> {
  const { engine, sealer } = deps;
  const { credential } = by;
  await verifyCredential(engine, credential, 'keys');
  const { key, ...value } = await newKeyValue(sealer, credential.tenant);
  const row = await store.rotateKey(deps.store, credential.tenant, id, value, by);
  return { ...(await withUse(engine, credential.tenant, row)), key };
}

/**
 * Deletes a key. Costs nothing, as rotateKey().
 * @throws HoldfastError unknown; refused for the default key; unauthenticated, forbidden, unavailable
 */
export async function deleteKey(
  { engine, store: keys }: Pick<KeyDeps, 'engine' | 'store'>,
  by: Actor,
  id: string,
): Promise<void> {
  const { credential } = by;
  await verifyCredential(engine, credential, 'keys');
  await store.deleteKey(keys, credential.tenant, id, by);
}
