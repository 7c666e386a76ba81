/**
 * Changes definitions in the in-memory mode: in Redis only.
 */

import { deleteDefinition, NOW, register } from '../engine/definitions/changes.ts';
import type { Engine } from '../engine/engine.ts';
import type { DefinitionChanges } from './change.ts';

/** @param maxTreeDepth maximum number of ancestors of a resource */
export const changeInRedis = (engine: Engine, maxTreeDepth: number): DefinitionChanges => ({
  register: async (credential, items) => {
    const { definitions, quota } = await register(engine, credential, items, maxTreeDepth, NOW);
    return { result: definitions, quota };
  },
  delete: async (credential, name, cascade) => {
    const { names, quota } = await deleteDefinition(engine, credential, name, cascade, NOW);
    return { result: names, quota };
  },
});
