/** What a kind of fault offers to the campaign. */
import type { FaultSeen } from './history.ts';
import type { Random } from './random.ts';
import type { System, Traits } from './system.ts';

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
