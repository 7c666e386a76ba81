/**
 * Changes definitions in the in-memory mode: in Redis, and nowhere else.
 */
import { type DefinitionChanges, NOW } from './change.ts';
import { deleteDefinition } from './delete.ts';
import type { Engine } from './engine.ts';
import { register } from './register.ts';

/** @param maxTreeDepth the most ancestors that a resource may have */
export const changeInRedis = (engine: Engine, maxTreeDepth: number): DefinitionChanges => ({
  register: async (credential, items) => (await register(engine, credential, items, maxTreeDepth, NOW)).definitions,
  delete: async (credential, name, cascade) => (await deleteDefinition(engine, credential, name, cascade, NOW)).names,
});
