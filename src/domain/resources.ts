/**
 * Paths in the trees of registered resources (docs/specification.md#what-a-name-means).
 */

/** Between the names of a path. */
export const PATH_DELIMITER = '>';

/** The name right above a resource whose ancestors are `treePath`; null for a root. */
export const parentIn = (treePath: string | null): string | null => treePath?.split(PATH_DELIMITER).at(-1) ?? null;
