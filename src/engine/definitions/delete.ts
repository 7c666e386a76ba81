/**
 * Deletes definitions (docs/specification.md#deletion): one script call for each step.
 */
import type { Credential } from '../../domain/tenants.ts';
import { toInteger, toText } from '../../redis/reply.ts';
import { callCharged } from '../call.ts';
import type { Engine } from '../engine.ts';
import type { Planned, Step } from './step.ts';

/** How long the names to be deleted are closed to reservations while the database deletes them, in ms. */
export const CLOSING_MS = 10_000;

export interface Deleted extends Planned {
  /** Ancestors first. */
  readonly names: string[];
}

/**
 * @param cascade whether to delete its subtree too
 * @throws HoldfastError unregistered; refused, if the resource has children and `cascade` is false, or if a resource to
 * be deleted is held; unauthenticated, forbidden, unavailable; LimitError; StaleError
 */
export async function deleteDefinition(
  engine: Engine,
  credential: Credential,
  name: string,
  cascade: boolean,
  { phase, version, as }: Step,
): Promise<Deleted> {
  const { result, quota } = await callCharged(engine, 'delete', as(credential), () => [
    phase,
    version ?? '',
    name,
    cascade ? 1 : 0,
    CLOSING_MS,
  ]);
  const [before, keyLabel, ...names] = result;
  return { version: toInteger(before), keyLabel: toText(keyLabel), quota, names: names.map(toText) };
}
