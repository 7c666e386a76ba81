/**
 * A tenant's management tokens: list, read, create, delete (docs/specification.md#management-tokens). For owners.
 */

import type { Charged } from '../domain/quota.ts';
import type { Scope } from '../domain/rights.ts';
import { verifyCredential } from '../engine/tenant/credentials.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import { digestOf, makeManagementToken } from '../identity/credentials.ts';
import * as store from '../store/managementTokens.ts';
import type { Store } from '../store/records.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import type { Actor } from './permissions.ts';

export type TokenDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads'> & { readonly store: Store };

/** The choices of an owner. */
export interface AskedToken {
  readonly id?: string | undefined;
  readonly label: string;
  readonly scopes: Scope[];
  readonly expiresAt: Date;
}

/**
 * Lists a page of the tokens, by id. Costs one read.
 * @param after the last id of the previous page
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const listTokens = (
  deps: TokenDeps,
  { credential }: Actor,
  after: string | undefined,
  limit: number,
): Promise<Charged<store.TokenRow[]>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'tokens'), () =>
      store.listTokens(deps.store, credential.tenant, after, limit),
    ),
  );

/**
 * Reads a token. Costs one read.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const readToken = (deps: TokenDeps, { credential }: Actor, id: string): Promise<Charged<store.TokenRow>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'tokens'), () => store.readToken(deps.store, credential.tenant, id)),
  );

/**
 * Creates a token. Costs one write.
 * @returns the token with its value, which is not kept; null: the call was a repeat
 * @throws HoldfastError refused if the id has another content or there are too many tokens; unauthenticated, forbidden,
 * unavailable; LimitError
 */
export const createToken = (
  deps: TokenDeps,
  by: Actor,
  asked: AskedToken,
): Promise<Charged<{ readonly row: store.TokenRow; readonly value: string | null }>> => {
  const { credential } = by;
  const create = async () => {
    const value = makeManagementToken(credential.tenant);
    const token = { ...asked, digest: digestOf(value) };
    const { row, isNew } = await store.createToken(deps.store, credential.tenant, token, by);
    return { row, value: isNew ? value : null };
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'tokens'), create));
};

/**
 * Deletes a token. Costs nothing: the holder of a leaked token could have used up the quota.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable
 */
export async function deleteToken(
  { engine, store: tokens }: Pick<TokenDeps, 'engine' | 'store'>,
  by: Actor,
  id: string,
): Promise<void> {
  await verifyCredential(engine, by.credential, 'tokens');
  await store.deleteToken(tokens, by.credential.tenant, id, by);
}
