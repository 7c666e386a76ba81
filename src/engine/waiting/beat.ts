/**
 * Beats: an instance that holds calls of a tenant says every few seconds that it lives, and hears what it may have
 * missed (docs/specification.md#waiting-lifetimes).
 */
import { TIERS, type Tier } from '../../domain/tiers.ts';
import { keysOf } from '../../redis/keys.ts';
import { toInteger, toText } from '../../redis/reply.ts';
import type { Engine } from '../engine.ts';
import { untilDone } from './untilDone.ts';

export interface Beat {
  /** ms until something of the tenant is next due; -1: nothing is */
  readonly dueInMs: number;
  /** The tenant's number of resets so far. */
  readonly resets: string;
  /** Whether Redis knew an earlier beat of this instance. If not, this is the first one, or Redis lost its data. */
  readonly isKnown: boolean;
  /** null: the tenant was deleted. */
  readonly tier: Tier | null;
  /** Tickets of calls that this instance holds, which were granted and not claimed. */
  readonly granted: readonly string[];
}

/**
 * Ends what is due in a tenant, hands on what became free, and notes that an instance lives.
 * @throws HoldfastError unavailable
 */
export async function beat(engine: Engine, tenant: string, instance: string): Promise<Beat> {
  const keys = keysOf('beat', tenant);
  const [dueInMs, resets, known, tier, ...granted] = await untilDone(
    engine.redis,
    tenant,
    'beat',
    ...keys,
    '',
    instance,
  );
  return {
    dueInMs: toInteger(dueInMs),
    resets: toText(resets),
    isKnown: toInteger(known) === 1,
    tier: TIERS.find((one) => one === toText(tier)) ?? null,
    granted: granted.map(toText),
  };
}

/**
 * Ends what is due in a tenant, and hands on what became free.
 * @returns ms until something is next due; -1: nothing is
 * @throws HoldfastError unavailable
 */
export const look = async (engine: Engine, tenant: string): Promise<number> => (await beat(engine, tenant, '')).dueInMs;
