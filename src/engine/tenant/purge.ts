/**
 * Deletes everything that Redis has of a tenant, after the database has deleted the tenant
 * (docs/specification.md#deleting-a-tenant). Nothing brings it back: a copy that read the database before that loses
 * its lease here, and without the lease no copy makes a tenant.
 */
import { HoldfastError } from '../../domain/errors.ts';
import { asService } from '../../domain/tenants.ts';
import { readHot } from '../../redis/hotRecord.ts';
import { eventsChannel, expiryKey, expiryShard, keysOfTenant, tenantKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import { connectionTo } from '../../redis/topology.ts';
import type { Engine } from '../engine.ts';
import { reset } from '../reservations/reset.ts';

/** How many keys a step looks at, which takes Redis about 1 ms. */
const STEP = 1000;

/**
 * Ends all reservations and waits, with their event, then every stream, session and token, and deletes all keys.
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
