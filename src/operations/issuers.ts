/**
 * The issuers whose JWTs a tenant's users may exchange for tokens (docs/specification.md#jwt-exchange). For people and
 * management tokens.
 */
import { Issuer } from '../contract/tenant.ts';
import { HoldfastError } from '../domain/errors.ts';
import { audienceFault } from '../domain/names.ts';
import type { Charged } from '../domain/quota.ts';
import { chargeWrite } from '../engine/tenant/usage.ts';
import { jwksAddressFault } from '../identity/jwks.ts';
import * as store from '../store/issuers.ts';
import type { Store } from '../store/records.ts';
import { charged, countUse } from './charging.ts';
import type { OperationDeps } from './deps.ts';
import type { Actor } from './permissions.ts';

export type IssuerDeps = Pick<OperationDeps, 'engine' | 'activity' | 'reads'> & { readonly store: Store };

/**
 * The schema of an issuer to register.
 * @param allowPrivate whether keys may be fetched from private addresses, and without TLS
 */
export const issuerSchema = (allowPrivate: boolean) =>
  Issuer.superRefine(({ jwksUrl }, context) => {
    const fault = jwksAddressFault(jwksUrl, allowPrivate);
    if (fault !== null) context.addIssue({ code: 'custom', path: ['jwksUrl'], message: fault });
  });

/**
 * Lists the issuers. Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const listIssuers = (deps: IssuerDeps, { credential }: Actor): Promise<Charged<store.Issuer[]>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'settings'), () => store.listIssuers(deps.store, credential.tenant)),
  );

/**
 * Registers an issuer, or changes the address of its keys. Costs one write.
 * @throws HoldfastError refused if the audience belongs to another tenant or there are too many issuers; upgrade if the
 * tier has no token exchange; unauthenticated, forbidden, unavailable; LimitError
 */
export async function putIssuer(
  deps: IssuerDeps,
  by: Actor,
  { issuer, audience, jwksUrl }: store.Issuer,
): Promise<Charged<store.Issuer>> {
  const { credential } = by;
  const fault = audienceFault(audience, credential.tenant);
  if (fault !== null) throw new HoldfastError('refused', `audience ${fault}`);
  const put = async () => {
    await store.putIssuer(deps.store, credential.tenant, { issuer, audience, jwksUrl }, by);
    return { issuer, audience, jwksUrl };
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'settings'), put));
}

/**
 * Removes an issuer, and ends the tokens that were exchanged for its JWTs. Costs one write.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const deleteIssuer = (
  deps: IssuerDeps,
  by: Actor,
  { issuer, audience }: Pick<store.Issuer, 'issuer' | 'audience'>,
): Promise<Charged<void>> => {
  const { credential } = by;
  const remove = () => store.deleteIssuer(deps.store, credential.tenant, issuer, audience, by);
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'settings'), remove));
};
