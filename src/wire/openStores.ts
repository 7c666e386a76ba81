/**
 * Opens what keeps tenants and definitions: a database with a working copy in Redis, or the configuration and Redis
 * alone (the in-memory mode).
 */
import type { Config } from '../config/config.ts';
import { changeInRedis } from '../definitions/change.ts';
import { keptHistory } from '../engine/history/kept.ts';
import { configuredLoader } from '../engine/tenant/record.ts';
import { type ConfiguredKey, configuredMembers, configuredTenants } from '../identity/configured.ts';
import type { IssuerLookup } from '../identity/jwtVerifier.ts';
import { bookingsInRedis } from '../operations/bookingChanges.ts';
import type { Stores, StoresDeps } from './stores.ts';

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
  const { jwtIssuers, allowPrivateJwks } = config;
  const tenants = configuredTenants(keys);
  const { memberships, roleNow } = configuredMembers(config.signIn.kind, config.members, tenants);
  const loadTenant = configuredLoader(redis, tenants);
  const registrations = jwtIssuers.map((one) => ({ ...one, revision: '' }));
  const lookUp: IssuerLookup = async (tenant, issuer, audiences) =>
    registrations.filter((one) => one.tenant === tenant && one.issuer === issuer && audiences.includes(one.audience));
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
    changesOf: (engine) => changeInRedis(engine),
    bookingsOf: bookingsInRedis,
    trailOf: () => null,
    loadConfigured: async () => {
      for (const tenant of tenants.keys()) await loadTenant(tenant);
    },
    close: async () => {},
  };
}
