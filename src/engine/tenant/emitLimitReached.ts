/**
 * Emits TIER_LIMIT_REACHED for a limit that no script checks (docs/specification.md#event-types): at most once a
 * second.
 */
import type { LimitType } from '../../domain/limits.ts';
import type { Credential } from '../../domain/tenants.ts';
import { call } from '../call.ts';
import type { Engine } from '../engine.ts';

/** @throws HoldfastError unauthenticated, unavailable */
export async function emitLimitReached(
  engine: Engine,
  credential: Credential,
  requestType: 'READ' | null,
  limitType: LimitType,
  limit: number,
): Promise<void> {
  await call(engine, 'emitLimitReached', credential, () => [requestType ?? '', limitType, limit]);
}
