/**
 * Registers resources (docs/specification.md#registration). Each step is one script call, for all items or none.
 */
import type { Definition } from '../../contract/definitions.ts';
import type { Credential } from '../../domain/tenants.ts';
import { toInteger, toText } from '../../redis/reply.ts';
import { callCharged, type Engine } from '../call.ts';
import { encodeRegistration } from './codec.ts';
import type { Planned, Step } from './step.ts';

export interface Registered extends Planned {
  /**
   * The definitions as stored: each name once, by its last item, then the missing ancestors that were registered too.
   */
  readonly definitions: Definition[];
}

/**
 * @param maxTreeDepth maximum number of ancestors of a resource
 * @throws HoldfastError refused, if an item contradicts another one or a definition; unauthenticated, forbidden,
 * unavailable; LimitError; StaleError
 */
export async function register(
  engine: Engine,
  credential: Credential,
  items: readonly Definition[],
  maxTreeDepth: number,
  { phase, version, as }: Step,
): Promise<Registered> {
  const { result, quota } = await callCharged(engine, 'register', as(credential), () => [
    phase,
    version ?? '',
    maxTreeDepth,
    ...items.flatMap(encodeRegistration),
  ]);
  const [before, keyLabel, ...ancestors] = result;
  const stored = new Map(items.map((item) => [item.name, item]));
  for (let i = 0; i < ancestors.length; i += 2) {
    const name = toText(ancestors[i]);
    stored.set(name, { name, capacity: 1, blocks: [], treePath: toText(ancestors[i + 1]) || null });
  }
  return { version: toInteger(before), keyLabel: toText(keyLabel), quota, definitions: [...stored.values()] };
}
