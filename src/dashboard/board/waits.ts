/**
 * Reads since when requests wait for resources, for the table of the Board.
 */
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/engine.ts';
import { waiting } from '../../engine/waiting/list.ts';
import { type Lab, nameIn } from './lab.ts';

/** Requests that are read, in the order of the queue. */
const MAX_REQUESTS = 2000;

/**
 * @returns resource → since when the first request waits that still does, in ms since 1970 UTC. Of a long queue only
 * its beginning is looked at
 * @throws HoldfastError unauthenticated, forbidden, unavailable
 */
export async function readWaits(
  engine: Engine,
  credential: Credential,
  lab: Lab,
): Promise<ReadonlyMap<string, number>> {
  const since = new Map<string, number>();
  if (lab.isFresh && lab.nodes.every((node) => node.waiting === 0) && lab.unregistered.length === 0) return since;
  const names = new Set(lab.nodes.map(({ name }) => name));
  let looked = 0;
  for await (const { rows } of waiting(engine, credential)) {
    for (const { resources, since: iso } of rows)
      for (const name of resources.map((one) => nameIn(names, one)))
        since.set(name, Math.min(since.get(name) ?? Number.POSITIVE_INFINITY, Date.parse(iso)));
    looked += rows.length;
    if (looked >= MAX_REQUESTS) break;
  }
  return since;
}
