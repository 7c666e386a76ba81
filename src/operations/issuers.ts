/**
 * The issuers whose JWTs can be exchanged for tokens of a tenant (docs/specification.md#jwt-exchange). For people and
 * management tokens.
 */
import { NewIssuer } from '../contract/issuers.ts';
import { HoldfastError } from '../domain/errors.ts';
import { audienceFault } from '../domain/names.ts';
import type { Charged } from '../domain/quota.ts';
import type { Registration } from '../domain/registrations.ts';
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
  NewIssuer.superRefine(({ jwksUrl }, context) => {
    const fault = jwksAddressFault(jwksUrl, allowPrivate);
    if (fault !== null) context.addIssue({ code: 'custom', path: ['jwksUrl'], message: fault });
  });

/**
 * Lists the issuers. Costs one read.
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export const listIssuers = (deps: IssuerDeps, { credential }: Actor): Promise<Charged<Registration[]>> =>
  countUse(
    deps,
    credential,
    charged(deps.reads.charge(credential, 'settings'), () => store.listIssuers(deps.store, credential.tenant)),
  );

/**
 * Registers an issuer, or replaces the registration with its id, and ends the tokens that were exchanged by that. Costs
 * one write.
 * @throws HoldfastError refused if the audience belongs to another tenant or there are too many issuers; upgrade if the
 * tier has no token exchange; unauthenticated, forbidden, unavailable; LimitError
 */
export async function putIssuer(deps: IssuerDeps, by: Actor, one: Registration): Promise<Charged<Registration>> {
  const { credential } = by;
  const fault = audienceFault(one.audience, credential.tenant);
  if (fault !== null) throw new HoldfastError('refused', `audience ${fault}`);
  const put = async () => {
    await store.putIssuer(deps.store, credential.tenant, one, by);
    return one;
  };
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'settings'), put));
}

/**
 * Removes a registration, and ends the tokens that were exchanged by it. Costs one write.
 * @throws HoldfastError unknown; unauthenticated, forbidden, unavailable; LimitError
 */
export const deleteIssuer = (deps: IssuerDeps, by: Actor, id: string): Promise<Charged<void>> => {
  const { credential } = by;
  const remove = () => store.deleteIssuer(deps.store, credential.tenant, id, by);
  return countUse(deps, credential, charged(chargeWrite(deps.engine, credential, 'settings'), remove));
};
