/**
 * The parts of an instance that operations work with.
 */
import type { ReserveItem, ReserveResult, TransactionItem, TransactionResult } from '../contract/reservations.ts';
import type { DefinitionChanges } from '../definitions/change.ts';
import type { History } from '../domain/history.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Charged } from '../domain/quota.ts';
import type { TransactionMethod } from '../domain/reservations.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Caller, Wait } from '../domain/waiting.ts';
import type { Engine } from '../engine/engine.ts';
import type { Activity } from '../engine/tenant/activity.ts';
import type { ConcurrentLists, ReadLimiter } from '../limits/reads.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { BookingChanges } from './bookingChanges.ts';
import type { Trail } from './trail.ts';

/** Carries out requests that wait, each when its turn has come (docs/specification.md#waiting). */
export interface LongPolls {
  /**
   * @param pollSeconds how long the call may be held
   * @param idempotency its Idempotency-Key, if it has one
   */
  reserve(
    credential: Credential,
    items: readonly ReserveItem[],
    pollSeconds: number,
    caller: Caller,
    idempotency?: Idempotency,
  ): Promise<Charged<ReserveResult[]>>;
  transaction(
    credential: Credential,
    method: TransactionMethod,
    items: readonly TransactionItem[],
    wait: Wait,
    pollSeconds: number,
    caller: Caller,
    idempotency?: Idempotency,
  ): Promise<Charged<TransactionResult>>;
}

export interface OperationDeps {
  readonly engine: Engine;
  readonly definitions: DefinitionChanges;
  readonly bookings: BookingChanges;
  readonly activity: Activity;
  readonly reads: ReadLimiter;
  readonly listings: ConcurrentLists;
  readonly calls: LongPolls;
  readonly history: History;
  /** null: there is no database */
  readonly trail: Trail | null;
  /** null: metrics are off */
  readonly metrics: Metrics | null;
}
