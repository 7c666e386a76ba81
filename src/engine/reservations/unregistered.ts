/**
 * Lists the names that are held without being registered, page by page, unordered.
 */
import type { Credential } from '../../domain/tenants.ts';
import { toText } from '../../redis/reply.ts';
import { call } from '../call.ts';
import type { Engine } from '../engine.ts';

/** Slots that one call reads: about 1 ms of Redis. */
const PAGE_SLOTS = 400;

export interface UnregisteredPage {
  readonly names: readonly string[];
  /** Where the next page begins; null: there is none */
  readonly next: string | null;
}

/**
 * A name that is held all the while is in at least one page. It can be in two.
 * @param cursor `next` of the page before; '0' for the first page
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function unregistered(engine: Engine, credential: Credential, cursor: string): Promise<UnregisteredPage> {
  const [next, ...names] = await call(engine, 'unregistered', credential, () => [cursor, PAGE_SLOTS]);
  const after = toText(next);
  return { names: names.map(toText), next: after === '0' ? null : after };
}
