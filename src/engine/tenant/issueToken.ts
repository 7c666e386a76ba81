/**
 * Issues derived tokens (docs/specification.md#jwt-exchange). Redis keeps their digests until they expire.
 */
import type { Quota } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';
import { KEEP_TOKENS_MS, type TokenSource, tokenSetNow } from './tokens.ts';

/**
 * @param token the token, which is valid from now on
 * @param source the issuer and audience of the JWT that it was exchanged for
 * @param lifetimeMs at most MAX_TOKEN_MS
 * @throws HoldfastError upgrade if the tenant's tier has no such tokens; forbidden if the tenant is suspended;
 * unauthenticated if there is no such tenant; unavailable; LimitError
 */
export async function issueToken(
  engine: Engine,
  token: Credential,
  source: TokenSource,
  lifetimeMs: number,
): Promise<readonly Quota[]> {
  const tokenSet = tokenSetNow(source, token);
  const args = [lifetimeMs, KEEP_TOKENS_MS];
  return (await callCharged(engine, 'issueToken', token, () => args, { tokenSet })).quota;
}
