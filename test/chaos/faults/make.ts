/** What faults have in common: how they are declared, how long they last, and what they say. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import type { FaultSeen, Loses } from '../history.ts';
import type { Random } from '../random.ts';
import type { Part, PartKind, System, Traits } from '../system.ts';
import { SERVED_WITHIN } from './promises.ts';

/** What a fault says of itself. What it leaves out: it loses nothing, and moves no clock. */
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

/** What a write that was answered may lose if a replica takes over. */
export const losesByReplication = ({ waitReplicas, replicas }: Traits, recentMs: number): Loses =>
  waitReplicas >= replicas ? 'nothing' : { recentMs };
