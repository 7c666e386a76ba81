/**
 * Opens the database and what keeps tenants and definitions in it. Loaded only if a database is configured.
 */
import type { Config } from '../config/config.ts';
import { changeInDatabase } from '../definitions/changeInDatabase.ts';
import { WorkingCopy } from '../definitions/workingCopy.ts';
import { type IssuerLookup, JwtVerifier } from '../identity/jwtVerifier.ts';
import { bookingsInDatabase } from '../operations/bookingsInDatabase.ts';
import { membershipsInDatabase } from '../operations/members.ts';
import { Trail } from '../operations/trail.ts';
import { Database } from '../store/database.ts';
import { historyInDatabase } from '../store/history.ts';
import { findIssuers } from '../store/issuers.ts';
import type { Stores, StoresDeps } from './stores.ts';

/** @throws Error with a message for the operator, if the database cannot be used */
export async function storesInDatabase(
  { tiers, allowPrivateJwks }: Config,
  { url, pool }: NonNullable<Config['database']>,
  { redis, metrics, log }: StoresDeps,
): Promise<Stores> {
  const database = await Database.open(url, pool, log);
  let trail: Trail | null = null;
  const store = { database, redis };
  const copy = new WorkingCopy(database, { redis, tiers });
  const lookUp: IssuerLookup = (tenant, issuer, audiences) => findIssuers(store, tenant, issuer, audiences);
  return {
    store,
    copy,
    roleNow: null,
    membershipsOf: (engine, sealer) => membershipsInDatabase({ engine, store, sealer }),
    jwtVerifier: new JwtVerifier(lookUp, {
      allowPrivate: allowPrivateJwks,
      onUnreachable: () => metrics?.countJwksError(),
    }),
    history: historyInDatabase(store, tiers),
    loadTenant: (id) => copy.refresh(id),
    knowsTenant: () => true,
    changesOf: (engine) => changeInDatabase(database, engine, copy),
    bookingsOf: (engine) => bookingsInDatabase(engine, store),
    trailOf: (engine) => {
      trail = new Trail(database, engine, metrics, log);
      return trail;
    },
    loadConfigured: async () => {},
    close: async () => {
      await trail?.close();
      await database.close();
    },
  };
}
