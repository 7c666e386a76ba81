/**
 * Registers resources that can be booked, on an engine without HTTP before it.
 */
import { NOW, register } from '../../src/engine/definitions/changes.ts';
import { definitionsKey } from '../../src/redis/keys.ts';
import type { RunningEngine } from './engine.ts';

/** The byte of flags that a definition ends with, as lua/definitions/definitions.lua has it: it can be booked. */
const BOOKABLE = Buffer.from([32]);

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
  }));
  await register(engine, credential, definitions, NOW);
  const key = definitionsKey(credential.tenant);
  for (const { name } of definitions) {
    const packed = await engine.redis.hgetBuffer(key, name);
    if (packed) await engine.redis.hset(key, name, Buffer.concat([packed, BOOKABLE]));
  }
}
