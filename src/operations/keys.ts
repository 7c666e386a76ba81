/**
 * A tenant's API keys: list, create, rotate, delete (docs/specification.md#identity). For people and management tokens.
 */
import { LimitError } from '../domain/errors.ts';
import type { Charged } from '../domain/quota.ts';
import { chargeWrite } from '../engine/tenant/charge.ts';
import { emitLimitReached } from '../engine/tenant/emitLimitReached.ts';
import { verifyCredential } from '../engine/tenant/verifyCredential.ts';
import { digestOf, makeKey } from '../identity/credentials.ts';
import type { Sealer } from '../identity/sealer.ts';
import * as store from '../store/keys.ts';
import type { Store } from '../store/records.ts';
import type { Actor } from './actor.ts';
import { charged, countUse } from './counting.ts';
import type { OperationDeps } from './deps.ts';

export interface KeyDeps extends Pick<OperationDeps, 'engine' | 'activity' | 'reads'> {
  readonly store: Store;
  readonly sealer: Sealer;
}

/** A key with its value. */
export interface CreatedKey {
  readonly row: store.KeyRow;
  readonly key: string;
}

/** Makes the value of a key: the value itself, its digest, and the value encrypted. */
export async function newKeyValue(sealer: Sealer, tenant: string) {
  const key = makeKey(tenant);
  return { key, digest: digestOf(key), sealed: await sealer.seal(key) };
}

/** Makes the default key of a new tenant. */
export const newDefaultKey = (sealer: Sealer) => async (tenant: string) => {
  const { digest, sealed } = await newKeyValue(sealer, tenant);
  return { digest, sealed, label: null };
};

/**
 * Lists the keys, the default key first. Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const listKeys = (deps: KeyDeps, { credential }: Actor): Promise<Charged<store.KeyRow[]>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'keys'), () => store.listKeys(deps.store, credential.tenant)),
  );

/**
 * Creates a key. Costs one write.
 * @param label null: none
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError, also if the tier allows no more keys
 */
export const createKey = (deps: KeyDeps, by: Actor, label: string | null): Promise<Charged<CreatedKey>> => {
  const { credential } = by;
  const { engine, sealer } = deps;
  const create = async () => {
    const { key, digest, sealed } = await newKeyValue(sealer, credential.tenant);
    try {
      const value = { digest, sealed, label };
      return { row: await store.createKey(deps.store, engine.tiers, credential.tenant, value, by), key };
    } catch (error) {
      if (error instanceof LimitError) await emitLimitReached(engine, credential, null, 'ApiKeys', error.hit.limit);
      throw error;
    }
  };
  return countUse(deps, credential, charged(chargeWrite(engine, credential, 'keys'), create));
};

/**
 * Gives a key a new value. Costs nothing: the holder of a leaked key could have used up the quota.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable
 */
export async function rotateKey(deps: KeyDeps, by: Actor, id: string): Promise<CreatedKey> {
  const { engine, sealer } = deps;
  const { credential } = by;
  await verifyCredential(engine, credential, 'keys');
  const { key, digest, sealed } = await newKeyValue(sealer, credential.tenant);
  return { row: await store.rotateKey(deps.store, credential.tenant, id, { digest, sealed }, by), key };
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
