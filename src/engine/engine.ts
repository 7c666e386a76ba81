/** The parts of an instance that calls of scripts need. */
import type { Credential } from '../domain/tenants.ts';
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
  /** Called when a script has written to the outbox of a tenant (lua/events/outbox.lua). */
  readonly onOutbox?: ((tenant: string) => void) | undefined;
  /**
   * Called when a request is about to release resources. Returns the calls of the same credential, at this instance,
   * that wait for them; undefined: there are none. Set by an instance that has long polls.
   */
  handOver?: ((credential: Credential, resources: readonly string[]) => HandOver | undefined) | undefined;
}

/**
 * Long polls to which a script may hand over what it releases: it grants and claims in one step
 * (lua/waiting/handOver.lua). They are not answered before one of answered() and failed() was called.
 */
export interface HandOver {
  /** The requests that the script takes: those whose callers are still connected. */
  arg(): string;
  /** @param replies ticket → reply to its item: those that were handed over */
  answered(replies: ReadonlyMap<string, string>): void;
  /** Called if it is not known what the script did. */
  failed(): void;
}
