/**
 * A tenant's record in Redis (tier, settings, keys), beside the tenant's state
 * (docs/specification.md#store-modes-and-start): loads it, reads settings, and deletes all that Redis has of a tenant.
 */

import { HoldfastError } from '../../domain/errors.ts';
import { noticesText } from '../../domain/notices.ts';
import {
  asService,
  type Credential,
  grantText,
  type TenantRecord,
  type Terms,
  termsOf,
  termsText,
  tokenPriority,
} from '../../domain/tenants.ts';
import type { RedisClient } from '../../redis/client.ts';
import {
  eventsChannel,
  expiryKey,
  expiryShard,
  keyOfCredential,
  keysOf,
  keysOfTenant,
  tenantKey,
} from '../../redis/keys.ts';
import { readHot } from '../../redis/layouts.ts';
import { toInteger } from '../../redis/reply.ts';
import { runScript } from '../../redis/scripts.ts';
import { send } from '../../redis/send.ts';
import { connectionTo } from '../../redis/topology.ts';
import type { Engine } from '../engine.ts';
import { visitBy } from '../expiry/dueIndex.ts';
import { reset } from '../reservations/unreserve.ts';
import { verifyCredential } from './credentials.ts';

/** A copy of the tenant's definitions that Redis already has. */
export interface Copied {
  readonly definitionsVersion: number;
  /** The lease under which they were copied; null in in-memory mode, which has nothing to copy */
  readonly lease: string | null;
}

/**
 * Replaces the record in Redis, unless the one in Redis is newer. Reservations do not change.
 * @param copied undefined if only the record has changed: a tenant that Redis does not have is then not loaded, but
 * loaded as a whole when it is used
 * @returns false if the copy's lease was lost and nothing was done
 * @throws HoldfastError unavailable
 */
export async function loadTenant(redis: RedisClient, record: TenantRecord, copied?: Copied): Promise<boolean> {
  const { id, version, tier, suspended, requireRegistration, maxPriority, endsSoonSeconds, keys } = record;
  const entries = keys.flatMap(({ digest, label, grant }) => [
    digest,
    label ?? '',
    grant === null ? '' : grantText(grant),
  ]);
  const settings = [
    Number(suspended),
    Number(requireRegistration),
    maxPriority,
    termsText(record),
    noticesText(record.notices),
    endsSoonSeconds * 1000,
  ];
  const versions = [version ?? '', copied?.definitionsVersion ?? '', copied?.lease ?? ''];
  const args = [...versions, tier, ...settings, ...entries];
  const visitMs = await runScript(redis, 'loadTenant', ...keysOf('loadTenant', id), ...args);
  if (typeof visitMs !== 'number') return false;
  await visitBy(redis, id, visitMs);
  return true;
}

/** Makes the function that loads the configured tenants of the in-memory mode. */
export const configuredLoader =
  (redis: RedisClient, tenants: ReadonlyMap<string, TenantRecord>) =>
  async (id: string): Promise<boolean> => {
    const record = tenants.get(id);
    return record !== undefined && (await loadTenant(redis, record, { definitionsVersion: 0, lease: null }));
  };

/**
 * Reads the highest priority that requests may wait with (docs/specification.md#requests-that-wait): the tenant's
 * setting, and at most what a derived token has.
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readMaxPriority(engine: Engine, credential: Credential): Promise<number> {
  const read = () => send(() => engine.redis.hmgetBuffer(tenantKey(credential.tenant), 'hot', 'maxPriority'));
  let [hot, bound] = await read();
  if (readHot(hot).tier === 0) {
    // Redis does not have the tenant. Verifying the credential loads it.
    await verifyCredential(engine, credential);
    [hot, bound] = await read();
  }
  const max = toInteger(bound?.toString());
  if (credential.kind !== 'token') return max;
  const token = await send(() => engine.redis.get(keyOfCredential(credential)));
  return Math.min(max, tokenPriority(token ?? ''));
}

/**
 * Reads the settings that a tenant's reservations must keep to (docs/specification.md#settings), for people who are
 * about to reserve. The scripts enforce them.
 * @throws HoldfastError unavailable
 */
export const readTerms = async ({ redis }: Pick<Engine, 'redis'>, { tenant }: Credential): Promise<Terms> =>
  termsOf((await send(() => redis.hget(tenantKey(tenant), 'terms'))) ?? '');

/** Number of keys that a step looks at, which takes Redis about 1 ms. */
const STEP = 1000;

/**
 * Deletes all that Redis has of a tenant, after the database has deleted the tenant
 * (docs/specification.md#deleting-a-tenant): ends all reservations and waits, with their event, then every stream,
 * session and token, and deletes all keys. Nothing brings it back: a copy that read the database before that loses its
 * lease here, and without the lease no copy makes a tenant.
 * @throws HoldfastError unavailable
 */
export async function purgeTenant(engine: Engine, tenant: string): Promise<void> {
  const { redis } = engine;
  const own = tenantKey(tenant);
  if (readHot(await send(() => redis.hgetBuffer(own, 'hot'))).tier !== 0) await reset(engine, asService(tenant));
  // Without this field there is no tenant: every credential is invalid from here on.
  await send(() => redis.hdel(own, 'hot'));
  await send(() => redis.spublish(eventsChannel(tenant), ''));
  let cursor = '0';
  do {
    const [next, keys] = await send(() => {
      const connection = connectionTo(redis, own);
      if (connection === undefined) throw new HoldfastError('unavailable', 'The reservation store cannot be reached.');
      return connection.scan(cursor, 'MATCH', keysOfTenant(tenant), 'COUNT', STEP);
    });
    cursor = next;
    // The hash stays until nothing else does: it shows that there is something left (purgeDeleted of workingCopy.ts).
    const others = keys.filter((key) => key !== own);
    // Large values are freed by a thread of their own.
    if (others.length > 0) await send(() => redis.unlink(...others));
  } while (cursor !== '0');
  await send(() => redis.zrem(expiryKey(expiryShard(tenant)), tenant));
  await send(() => redis.unlink(own));
}
