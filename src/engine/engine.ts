/** What the calls of scripts need of an instance. */
import type { TierTable } from '../domain/tiers.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Replication } from '../redis/replication.ts';

export interface Engine {
  readonly redis: RedisClient;
  /** Waits for replicas to confirm writes before their requests get responses. */
  readonly replication?: Replication | undefined;
  /** Loads a tenant that Redis has lost or never had. Returns false if there is no such tenant. */
  readonly loadTenant: (id: string) => Promise<boolean>;
  /** The limits of each tier. */
  readonly tiers: TierTable;
  /**
   * Called when a reply says when something of the tenant is next due, if requests of the tenant wait.
   * @param dueInMs -1: nothing is due
   */
  readonly onDue?: ((tenant: string, dueInMs: number) => void) | undefined;
}
