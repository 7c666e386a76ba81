/**
 * Returns labels that registered resources have, for people to choose from.
 */
import type { Credential } from '../../domain/tenants.ts';
import { toText } from '../../redis/reply.ts';
import { call } from '../call.ts';
import type { Engine } from '../engine.ts';

/** A key with more values than these names single resources, as a serial number does. */
const MAX_VALUES = 8;

/**
 * @param limit maximum number of labels
 * @returns labels `<key>=<value>`, sorted
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function labelsInUse(engine: Engine, credential: Credential, limit: number): Promise<string[]> {
  return (await call(engine, 'labelsInUse', credential, () => [limit, MAX_VALUES])).map(toText);
}
