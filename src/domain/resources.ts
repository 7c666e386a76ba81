/**
 * Registered resources as callers see them (docs/specification.md#resources, #registration).
 */

/** Between the names of a path (docs/specification.md#what-a-name-means). */
export const PATH_DELIMITER = '>';

export interface Registration {
  readonly name: string;
  readonly capacity: number;
  readonly blocks: readonly string[];
  /** The names above it, from the root down. */
  readonly treePath: readonly string[];
}

export interface Definition {
  name: string;
  capacity: number;
  blocks: string[];
  /** null: a root */
  treePath: string | null;
}

/** One node of a tree that is listed from the roots down. */
export interface TreeRow {
  readonly name: string;
  /** How many are above it. */
  readonly depth: number;
  /** The one right above it; null: a root */
  readonly parent: string | null;
  readonly capacity: number;
  /** Free slots. */
  readonly available: number;
}

export interface TreeNode {
  name: string;
  /** Its own name included. */
  path: string;
  capacity: number;
  /** Free slots. */
  available: number;
  children: TreeNode[];
}
