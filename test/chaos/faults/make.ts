/** Common parts of faults: declarations, durations, and reports. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultSeen, Loses } from '../history.ts';
import type { Random } from '../random.ts';
import type { Part, PartKind, System, Traits } from '../system.ts';

/** The report of a fault. Fields that it leaves out: it loses nothing, and moves no clock. */
export type Damage = Pick<FaultSeen, 'detail'> &
  Partial<Omit<FaultSeen, 'kind' | 'startedAt' | 'healedAt' | 'targets' | 'detail'>> & {
    readonly targets: readonly Part[];
  };

/** Declares a fault. */
export const fault = (
  kind: string,
  appliesTo: (traits: Traits) => boolean,
  damage: (system: System, random: Random) => Promise<Damage>,
): Fault => ({
  kind,
  appliesTo,
  inject: async (system, random) => {
    const { targets, ...seen } = await damage(system, random);
    return {
      loses: 'nothing',
      servedWithinMs: SERVED_WITHIN.again,
      clockStepMs: 0,
      ...seen,
      targets: targets.map(({ name }) => name),
    };
  },
});

export const always = () => true;
export const isOne = ({ topology }: Traits) => topology === 'one';
export const isReplicated = ({ topology }: Traits) => topology !== 'one';

export const partsOf = ({ parts }: Pick<System, 'parts'>, kind: PartKind): readonly Part[] =>
  parts.filter((part) => part.kind === kind);

/** Some of a list, at least one, in random order. */
export function someOf<T>(random: Random, list: readonly T[]): readonly T[] {
  const left = [...list];
  const count = random.between(1, list.length);
  return Array.from({ length: count }, () => {
    const one = random.pick(left);
    left.splice(left.indexOf(one), 1);
    return one;
  });
}

export const namesOf = (parts: readonly Part[]): string => parts.map(({ name }) => name).join(', ');

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** The names of all addresses that callers use. */
export const addressesOf = ({ addresses }: System): readonly string[] => addresses.map(({ name }) => name);

/** Waits between breaking and healing, and heals even if the harness fails meanwhile. */
export async function during(ms: number, heal: () => Promise<unknown>): Promise<void> {
  try {
    await pause(ms);
  } finally {
    await heal();
  }
}

/** Kills parts, and starts them again later. */
export async function killFor(parts: readonly Part[], ms: number): Promise<void> {
  await Promise.all(parts.map((part) => part.signal('SIGKILL')));
  await during(ms, () => Promise.all(parts.map((part) => part.restart())));
}

/** Stops parts, and lets them go on later. */
export async function stopFor(parts: readonly Part[], ms: number): Promise<void> {
  await Promise.all(parts.map((part) => part.signal('SIGSTOP')));
  await during(ms, () => Promise.all(parts.map((part) => part.signal('SIGCONT'))));
}

/** The loss of answered writes if a replica takes over. */
export const losesByReplication = ({ waitReplicas, replicas }: Traits, recentMs: number): Loses =>
  waitReplicas >= replicas ? 'nothing' : { recentMs };

/** A kind of fault. */

export interface Fault {
  /** Such as `kill-instance`, `stop-primary`, `flushall`, `reshard`. */
  readonly kind: string;
  appliesTo(traits: Traits): boolean;
  /**
   * Breaks something, waits for as long as the fault lasts, and heals it. It resolves when all parts run again; whether
   * they serve again is for the campaign to find out.
   */
  inject(system: System, random: Random): Promise<Omit<FaultSeen, 'kind' | 'startedAt' | 'healedAt'>>;
}

/**
 * Time until the service serves everything again, in ms. docs/operations/redis.md#when-a-primary-fails promises 3 s for
 * a primary that is replaced; the others are promises that only this table makes.
 */
export const SERVED_WITHIN = {
  /** After a part runs again, or Redis answers again. */
  again: 3000,
  /** After the death of a primary that is replaced: 1 s to notice it, and a margin for a busy machine. */
  replaced: 6000,
  /** After `SENTINEL FAILOVER` with REDIS_WAIT_REPLICAS: "some 11 s of 503 for writes". */
  sentinelFailover: 15_000,
  /** After `CLUSTER FAILOVER`. */
  clusterFailover: 3000,
  /** After the database answers again. */
  database: 3000,
} as const;

/** Writes that replication without REDIS_WAIT_REPLICAS may lose: those that a replica had not received yet. */
export const REPLICATION_LAG_MS = 1000;

/**
 * Writes that a Redis with `everysec` may lose by its death: while an `fsync` is under way, it answers writes up to 2 s
 * before it writes them to its file.
 */
export const EVERYSEC_MS = 2000;
