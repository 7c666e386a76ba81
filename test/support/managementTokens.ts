/**
 * Management tokens, as tests need them.
 */
import type { Scope } from '../../src/domain/rights.ts';
import type { Session } from './tenancy.ts';

export const TOKENS = '/api/v1/Tenant/tokens';

export interface ManagementToken {
  id: string;
  label: string;
  scopes: Scope[];
  expiresAt: string;
  token: string;
}

let named = 0;

/** A choice of an owner for a token that ends in an hour. */
export const tokenContent = (scopes: readonly Scope[]) => ({
  label: `script ${named++}`,
  scopes,
  expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
});

/** Makes a token. */
export async function makeToken(
  owner: Session,
  { url }: { readonly url: string },
  scopes: readonly Scope[],
): Promise<ManagementToken> {
  const { status, body } = await owner.request<ManagementToken>(url, 'POST', TOKENS, tokenContent(scopes));
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Headers of a request with a management token. */
export const bearer = (token: string) => ({ 'X-Api-Key': '', Authorization: `Bearer ${token}` });
