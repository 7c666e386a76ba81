/**
 * The names of JWT issuers and their audiences. `holdfast:<tenant id>` is each tenant's own audience: no other tenant
 * can register it, so a JWT that carries it names its tenant.
 */
import { nameFault, TENANT_ID, utf8Length } from './names.ts';

const PREFIX = 'holdfast:';

/** Bytes of UTF-8: both names together have to fit into an index entry of Postgres (2,704 bytes). */
export const MAX_ISSUER_BYTES = 512;

/** The audience that only this tenant can register. */
export const ownAudience = (tenant: string): string => `${PREFIX}${tenant}`;

/** @returns the tenant that alone can register this audience; null if any tenant can */
export function tenantOfAudience(audience: string): string | null {
  const tenant = audience.startsWith(PREFIX) ? audience.slice(PREFIX.length) : '';
  return TENANT_ID.test(tenant) ? tenant : null;
}

/**
 * Checks the name of an issuer or an audience.
 * @returns the end of a sentence that starts with the field's name; null if it is valid
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
 * @returns the end of a sentence that starts with the field's name; null if it can
 */
export const audienceFault = (audience: string, tenant: string): string | null =>
  audience.startsWith(PREFIX) && audience !== ownAudience(tenant)
    ? `must be ${ownAudience(tenant)} if it starts with ${PREFIX}`
    : null;
