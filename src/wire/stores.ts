/**
 * Opens what keeps tenants and definitions: a database with a working copy in Redis, or the configuration and Redis
 * alone (the in-memory mode).
 */
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { DefinitionChanges } from '../definitions/change.ts';
import { changeInRedis } from '../definitions/changeInRedis.ts';
import type { WorkingCopy } from '../definitions/workingCopy.ts';
import type { History } from '../domain/history.ts';
import type { Memberships } from '../domain/memberships.ts';
import type { Engine } from '../engine/call.ts';
import { keptHistory } from '../engine/history/kept.ts';
import { configuredLoader } from '../engine/tenant/load.ts';
import { configuredMembers } from '../identity/configuredMembers.ts';
import { type ConfiguredKey, configuredTenants } from '../identity/configuredTenants.ts';
import type { IssuerLookup, JwtVerifier } from '../identity/jwtVerifier.ts';
import type { Sealer } from '../identity/sealer.ts';
import type { RoleNow } from '../operations/signedIn.ts';
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

/**
 * @param keys of the in-memory mode
 * @throws Error with a message for the operator, if the database cannot be used
 */
export async function openStores(config: Config, keys: readonly ConfiguredKey[], deps: StoresDeps): Promise<Stores> {
  if (config.database === null) return storesInMemory(config, keys, deps);
  const { storesInDatabase } = await import('./storesInDatabase.ts');
  return storesInDatabase(config, config.database, deps);
}

async function storesInMemory(
  config: Config,
  keys: readonly ConfiguredKey[],
  { redis, metrics }: StoresDeps,
): Promise<Stores> {
  const { sizes, jwtIssuers, allowPrivateJwks } = config;
  const tenants = configuredTenants(keys);
  const { memberships, roleNow } = configuredMembers(config.signIn.kind, config.members, tenants);
  const loadTenant = configuredLoader(redis, tenants);
  const lookUp: IssuerLookup = async (tenant, issuer, audiences) =>
    jwtIssuers.filter((one) => one.tenant === tenant && one.issuer === issuer && audiences.includes(one.audience));
  return {
    store: null,
    copy: null,
    roleNow,
    membershipsOf: () => memberships,
    jwtVerifier:
      jwtIssuers.length === 0
        ? null
        : new (await import('../identity/jwtVerifier.ts')).JwtVerifier(lookUp, {
            allowPrivate: allowPrivateJwks,
            onUnreachable: () => metrics?.countJwksError(),
          }),
    history: keptHistory(redis),
    loadTenant,
    knowsTenant: (id) => tenants.has(id),
    changesOf: (engine) => changeInRedis(engine, sizes.treeDepth),
    trailOf: () => null,
    loadConfigured: async () => {
      for (const tenant of tenants.keys()) await loadTenant(tenant);
    },
    close: async () => {},
  };
}
