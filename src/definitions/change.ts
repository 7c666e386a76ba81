/**
 * The interface for changing definitions, and how they are changed without a database. With one: changeInDatabase.ts.
 */
import type { Definition, Registration } from '../contract/definitions.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import { deleteDefinition, NOW, register } from '../engine/definitions/changes.ts';
import type { Engine } from '../engine/engine.ts';

/** Throws the errors of engine/definitions/changes.ts. */
export interface DefinitionChanges {
  /** @returns the definitions as stored, including missing ancestors that were registered too */
  register(credential: Credential, items: readonly Registration[]): Promise<Charged<Definition[]>>;
  /** @returns the deleted names, ancestors first */
  delete(credential: Credential, name: string, cascade: boolean): Promise<Charged<string[]>>;
}

/** Changes definitions in the in-memory mode: in Redis only. */
export const changeInRedis = (engine: Engine): DefinitionChanges => ({
  register: async (credential, items) => {
    const { definitions, quota } = await register(engine, credential, items, NOW);
    return { result: definitions, quota };
  },
  delete: async (credential, name, cascade) => {
    const { names, quota } = await deleteDefinition(engine, credential, name, cascade, NOW);
    return { result: names, quota };
  },
});
