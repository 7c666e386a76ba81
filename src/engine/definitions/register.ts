/**
 * Registers resources (docs/specification.md#registration). Each step is one script call, for all items or none.
 */
import type { Definition, Registration } from '../../contract/definitions.ts';
import type { Credential } from '../../domain/tenants.ts';
import { toInteger, toText } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';
import { detailsOf, encodeRegistration } from './codec.ts';
import { decodeLabels } from './labels.ts';
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
  items: readonly Registration[],
  maxTreeDepth: number,
  { phase, version, as }: Step,
): Promise<Registered> {
  const { result, quota } = await callCharged(engine, 'register', as(credential), () => [
    phase,
    version ?? '',
    maxTreeDepth,
    ...items.flatMap(encodeRegistration),
  ]);
  const [before, keyLabel, ...further] = result;
  const stored = new Map(items.map((item) => [item.name, asStored(item)]));
  for (let i = 0; i < further.length; i += 4) {
    const [name, treePath, labels] = [toText(further[i]), toText(further[i + 1]), toText(further[i + 3])];
    const isGroup = toInteger(further[i + 2]) === 1;
    const item = stored.get(name) ?? { name, capacity: 1, blocks: [], treePath: treePath || null };
    const details = detailsOf(isGroup, decodeLabels(labels === '' ? [] : labels.split('\n')));
    stored.set(name, { ...item, capacity: isGroup ? null : item.capacity, ...details });
  }
  return { version: toInteger(before), keyLabel: toText(keyLabel), quota, definitions: [...stored.values()] };
}

/** The definition of an item, without what the item leaves as it is. */
const asStored = ({ name, capacity, blocks, treePath, group = false, labels = {} }: Registration): Definition => ({
  name,
  capacity: group ? null : (capacity ?? 1),
  blocks,
  treePath,
  ...detailsOf(group, labels),
});
