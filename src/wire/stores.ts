/**
 * Stores of tenants and definitions: a database (storesInDatabase.ts), or the configuration and Redis (openStores.ts).
 */
import type { Logger } from 'pino';
import type { DefinitionChanges } from '../definitions/change.ts';
import type { WorkingCopy } from '../definitions/workingCopy.ts';
import type { History } from '../domain/history.ts';
import type { Memberships } from '../domain/memberships.ts';
import type { Engine } from '../engine/engine.ts';
import type { Sealer } from '../identity/credentials.ts';
import type { JwtVerifier } from '../identity/jwtVerifier.ts';
import type { BookingChanges } from '../operations/bookingChanges.ts';
import type { RoleNow } from '../operations/permissions.ts';
import type { Trail } from '../operations/trail.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Store } from '../store/records.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface Stores {
  /** null: the in-memory mode */
  readonly store: Store | null;
  /** null: the in-memory mode */
  readonly copy: WorkingCopy | null;
  /** null: no issuer of JWTs is configured */
  readonly jwtVerifier: JwtVerifier | null;
  /** null: sessions have the role of the moment */
  readonly roleNow: RoleNow | null;
  /** @param sealer encrypts the default keys of new tenants */
  membershipsOf(engine: Engine, sealer: Sealer): Memberships;
  readonly history: History;
  readonly loadTenant: Engine['loadTenant'];
  /** Returns false if there can be no tenant of this id. */
  knowsTenant(id: string): boolean;
  changesOf(engine: Engine): DefinitionChanges;
  bookingsOf(engine: Engine): BookingChanges;
  /** Makes the notes of what happens in Redis alone; null: the in-memory mode. They are written before close() ends. */
  trailOf(engine: Engine): Trail | null;
  /** Puts the configured tenants into Redis. Does nothing with a database, from which they are loaded on demand. */
  loadConfigured(): Promise<void>;
  close(): Promise<void>;
}

export interface StoresDeps {
  readonly redis: RedisClient;
  /** null: metrics are not configured */
  readonly metrics: Metrics | null;
  readonly log: Logger;
}
