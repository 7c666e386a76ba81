/**
 * The interface for changing definitions, with a database (changeInDatabase.ts) or without one (changeInRedis.ts).
 */
import type { Definition, Registration } from '../contract/definitions.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';

/** Throws the errors of engine/definitions/changes.ts. */
export interface DefinitionChanges {
  /** @returns the definitions as stored, including missing ancestors that were registered too */
  register(credential: Credential, items: readonly Registration[]): Promise<Charged<Definition[]>>;
  /** @returns the deleted names, ancestors first */
  delete(credential: Credential, name: string, cascade: boolean): Promise<Charged<string[]>>;
}
