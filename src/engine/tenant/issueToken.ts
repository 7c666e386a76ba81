/**
 * Issues derived tokens (docs/specification.md#identity): Redis keeps their digests for as long as they live.
 */
import type { Quota } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { callCharged, type Engine } from '../call.ts';
import { KEEP_TOKENS_MS, type TokenSource, tokenSetNow } from './tokens.ts';

/**
 * @param token what is to be valid from now on
 * @param source whose JWT it was exchanged for
 * @param lifetimeMs at most MAX_TOKEN_MS
 * @throws HoldfastError upgrade, where the tenant's tier has no such tokens; forbidden, where it is suspended;
 * unauthenticated, where there is no such tenant; unavailable; LimitError
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
