/**
 * Tells of a limit that was hit where no script carries out the request (docs/specification.md#events): at most once a
 * second.
 */
import type { LimitType } from '../../domain/limits.ts';
import type { Credential } from '../../domain/tenants.ts';
import { call, type Engine } from '../call.ts';

/** @throws HoldfastError unauthenticated, unavailable */
export async function tellLimit(
  engine: Engine,
  credential: Credential,
  requestType: 'READ' | null,
  limitType: LimitType,
  limit: number,
): Promise<void> {
  await call(engine, 'tellLimit', credential, () => [requestType ?? '', limitType, limit]);
}
