/**
 * Keeps the response to a request with an Idempotency-Key that waited, if no script of its own could
 * (docs/specification.md#repeating-safely).
 */
import type { Once } from '../../domain/once.ts';
import type { Credential } from '../../domain/tenants.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';

/**
 * Keeps a reply, unless one is kept already.
 * @param reply as the script of the request returns it after the quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; mismatch
 */
export async function keepReply(
  engine: Engine,
  credential: Credential,
  once: Once,
  reply: readonly string[],
): Promise<void> {
  await callCharged(engine, 'keep', credential, () => [...reply], { once });
}
