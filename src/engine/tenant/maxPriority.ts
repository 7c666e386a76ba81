/**
 * Reads the highest priority that requests of a tenant may wait with (docs/specification.md#requests-that-wait): one of
 * its settings.
 */
import type { Credential } from '../../domain/tenants.ts';
import { readHot } from '../../redis/hotRecord.ts';
import { tenantKey } from '../../redis/keys.ts';
import { toInteger } from '../../redis/reply.ts';
import { send } from '../../redis/send.ts';
import type { Engine } from '../engine.ts';
import { verifyCredential } from './verifyCredential.ts';

/** @throws HoldfastError unauthenticated, forbidden, unavailable */
export async function readMaxPriority(engine: Engine, credential: Credential): Promise<number> {
  const read = () => send(() => engine.redis.hmgetBuffer(tenantKey(credential.tenant), 'hot', 'maxPriority'));
  let [hot, bound] = await read();
  if (readHot(hot).tier === 0) {
    // Redis does not have the tenant. Verifying the credential loads it.
    await verifyCredential(engine, credential);
    [hot, bound] = await read();
  }
  return toInteger(bound?.toString());
}
