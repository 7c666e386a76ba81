/**
 * Registers resources that can be booked, on an engine without HTTP before it.
 */
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import type { RunningEngine } from './engine.ts';

/** Registers bookable resources with these capacities. */
export async function registerBookable(
  { engine, credential }: Pick<RunningEngine, 'engine' | 'credential'>,
  capacities: Readonly<Record<string, number>>,
): Promise<void> {
  const definitions = Object.entries(capacities).map(([name, capacity]) => ({
    name,
    capacity,
    blocks: [],
    treePath: null,
    bookable: true,
  }));
  await register(engine, credential, definitions, NOW);
}
