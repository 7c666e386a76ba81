/**
 * The parts of an instance that operations work with.
 */
import type { DefinitionChanges } from '../definitions/change.ts';
import type { Engine } from '../engine/call.ts';
import type { Activity } from '../engine/tenant/activity.ts';
import type { Listings } from '../limits/listings.ts';
import type { ReadLimiter } from '../limits/reads.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface OperationDeps {
  readonly engine: Engine;
  readonly definitions: DefinitionChanges;
  readonly activity: Activity;
  readonly reads: ReadLimiter;
  readonly listings: Listings;
  /** null: metrics are off */
  readonly metrics: Metrics | null;
}
