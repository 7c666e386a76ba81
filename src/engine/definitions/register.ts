/**
 * Registers resources (docs/specification.md#registration): one script call a step, which applies all items or none.
 */
import { type Definition, PATH_DELIMITER, type Registration } from '../../domain/resources.ts';
import type { Credential } from '../../domain/tenants.ts';
import { itemArgs, namesArg } from '../../redis/items.ts';
import { toInteger, toText } from '../../redis/reply.ts';
import { call, type Engine } from '../call.ts';
import type { Planned, Step } from './step.ts';

export interface Registered extends Planned {
  /** As stored: each name once, by its last item, then the ancestors that are registered along. */
  readonly definitions: Definition[];
}

/**
 * @param maxTreeDepth the most ancestors that a resource may have
 * @throws HoldfastError refused, where an item contradicts another one or what is registered; unauthenticated,
 * forbidden, unavailable; LimitError; StaleError
 */
export async function register(
  engine: Engine,
  credential: Credential,
  items: readonly Registration[],
  maxTreeDepth: number,
  { phase, version, as }: Step,
): Promise<Registered> {
  const args = items.flatMap(({ name, capacity, blocks, treePath }) =>
    itemArgs('register', { name, capacity, blocks: namesArg(blocks), treePath: namesArg(treePath) }),
  );
  const [before, keyLabel, ...ancestors] = await call(engine, 'register', as(credential), () => [
    phase,
    version ?? '',
    maxTreeDepth,
    ...args,
  ]);
  const stored = new Map<string, Definition>();
  for (const { name, capacity, blocks, treePath } of items) {
    stored.set(name, { name, capacity, blocks: [...blocks], treePath: treePath.join(PATH_DELIMITER) || null });
  }
  for (let i = 0; i < ancestors.length; i += 2) {
    const name = toText(ancestors[i]);
    stored.set(name, { name, capacity: 1, blocks: [], treePath: toText(ancestors[i + 1]) || null });
  }
  return { version: toInteger(before), keyLabel: toText(keyLabel), definitions: [...stored.values()] };
}
