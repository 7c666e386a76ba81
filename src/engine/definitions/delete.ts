/**
 * Deletes definitions (docs/specification.md#operations, #registration): one script call a step.
 */
import type { Credential } from '../../domain/tenants.ts';
import { toInteger, toText } from '../../redis/reply.ts';
import { callCharged, type Engine } from '../call.ts';
import type { Planned, Step } from './step.ts';

/** ms that what is to be deleted is kept from being reserved, while the database deletes it. */
export const CLOSING_MS = 10_000;

export interface Deleted extends Planned {
  /** Ancestors first. */
  readonly names: string[];
}

/**
 * @param cascade with all that is below it in the tree
 * @throws HoldfastError unregistered; refused, where it or something below it is held, or there is something below it
 * and no cascade; unauthenticated, forbidden, unavailable; LimitError; StaleError
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
