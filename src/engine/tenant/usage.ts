/**
 * Reads a tenant's usage of its limits (docs/specification.md#limits).
 */
import { z } from 'zod';
import type { Charged } from '../../domain/quota.ts';
import type { Credential } from '../../domain/tenants.ts';
import { TIERS, type Tier } from '../../domain/tiers.ts';
import { toInteger } from '../../redis/reply.ts';
import { callRead } from '../call.ts';
import type { Engine } from '../engine.ts';

export interface Usage {
  readonly tier: Tier;
  /** In the current window of a minute. */
  readonly writesThisMinute: number;
  /** Since midnight UTC. */
  readonly writesToday: number;
  readonly reservations: number;
  readonly eventConnections: number;
  /** Registered resources. */
  readonly definitions: number;
  /** That the tenant keeps in Redis. */
  readonly bytes: number;
}

/**
 * @param cost reads to charge
 * @throws HoldfastError unauthenticated, forbidden, unavailable; LimitError
 */
export async function usage(engine: Engine, credential: Credential, cost = 0): Promise<Charged<Usage>> {
  const {
    quota,
    result: [tier, ...counts],
  } = await callRead(engine, 'usage', credential, cost, () => []);
  const [writesThisMinute = 0, writesToday = 0, reservations = 0, eventConnections = 0, definitions = 0, bytes = 0] =
    counts.map(toInteger);
  const result = {
    tier: z.enum(TIERS).parse(tier),
    writesThisMinute,
    writesToday,
    reservations,
    eventConnections,
    definitions,
    bytes,
  };
  return { quota, result };
}
