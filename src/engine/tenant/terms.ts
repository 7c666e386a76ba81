/**
 * Reads the settings that a tenant's reservations must keep to (docs/specification.md#settings), for people who are
 * about to reserve. The scripts enforce them.
 */
import { type Credential, type Terms, termsOf } from '../../domain/tenants.ts';
import { tenantKey } from '../../redis/keys.ts';
import { send } from '../../redis/send.ts';
import type { Engine } from '../engine.ts';

/** @throws HoldfastError unavailable */
export const readTerms = async ({ redis }: Pick<Engine, 'redis'>, { tenant }: Credential): Promise<Terms> =>
  termsOf((await send(() => redis.hget(tenantKey(tenant), 'terms'))) ?? '');
