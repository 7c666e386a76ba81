/**
 * Deletes definitions (interface, "Endpoints"; decisions, section 5): one script call.
 */
import type { Credential } from '../domain/tenants.ts';
import { call, type Engine } from './engine.ts';
import { toText } from './reply.ts';

/**
 * @param cascade with all that is below it in the tree
 * @returns the names deleted
 * @throws HoldfastError unregistered; refused, where it or something below it is held, or there is something below it and no
 * cascade; unauthenticated, unavailable
 */
export async function deleteDefinition(
  engine: Engine,
  credential: Credential,
  name: string,
  cascade: boolean,
): Promise<string[]> {
  return (await call(engine, 'delete', credential, () => [name, cascade ? 1 : 0])).map(toText);
}
