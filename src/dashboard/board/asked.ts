/**
 * Who asks for which rows of the Board, and how much one page may read.
 */
import type { Credential } from '../../domain/tenants.ts';
import type { Engine } from '../../engine/call.ts';
import type { BoardQuery } from './query.ts';

/** Maximum number of resources, or of held slots, that one page reads. */
export const MAX_LOOKED_AT = 20_000;

export interface Asked {
  readonly engine: Engine;
  readonly credential: Credential;
  /** The requesters that the person is. */
  readonly requesters: readonly string[];
  readonly query: BoardQuery;
}
