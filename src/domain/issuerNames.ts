/**
 * Checks the names of JWT issuers and audiences. `holdfast:<tenant id>` is each tenant's own audience: no other tenant
 * can register it, so a JWT with this audience names its tenant.
 */
import { nameFault, TENANT_ID, utf8Length } from './names.ts';

const PREFIX = 'holdfast:';

/** In bytes of UTF-8: both names together have to fit into an index entry of Postgres (2,704 bytes). */
export const MAX_ISSUER_BYTES = 512;

/** The audience that only this tenant can register. */
export const ownAudience = (tenant: string): string => `${PREFIX}${tenant}`;

/** Returns the tenant whose own audience this is; null: no tenant's */
export function tenantOfAudience(audience: string): string | null {
  const tenant = audience.startsWith(PREFIX) ? audience.slice(PREFIX.length) : '';
  return TENANT_ID.test(tenant) ? tenant : null;
}

/**
 * Checks the name of an issuer or an audience.
 * @returns the fault, as the end of a sentence that starts with the field's name; null: none
 */
export const issuerTextFault = (text: string): string | null =>
  utf8Length(text) > MAX_ISSUER_BYTES
    ? `must be at most ${MAX_ISSUER_BYTES} bytes long`
    : nameFault(text, MAX_ISSUER_BYTES);

/** Whether a claim can be the name of an issuer or an audience. */
export const isIssuerText = (claim: unknown): claim is string =>
  typeof claim === 'string' && issuerTextFault(claim) === null;

/**
 * Checks whether a tenant can register an audience.
 * @returns the fault, as the end of a sentence that starts with the field's name; null: none
 */
export const audienceFault = (audience: string, tenant: string): string | null =>
  audience.startsWith(PREFIX) && audience !== ownAudience(tenant)
    ? `must be ${ownAudience(tenant)} if it starts with ${PREFIX}`
    : null;
