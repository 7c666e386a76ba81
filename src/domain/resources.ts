/**
 * Paths in the trees of registered resources (docs/specification.md#what-a-name-means).
 */

/** The separator of the names in a path. */
export const PATH_DELIMITER = '>';

/** Returns the parent of a resource whose ancestors are `treePath`; null for a root. */
export const parentIn = (treePath: string | null): string | null => treePath?.split(PATH_DELIMITER).at(-1) ?? null;

/** Returns the name that a path ends with: the resource itself. */
export const leafOf = (path: string): string => path.slice(path.lastIndexOf(PATH_DELIMITER) + 1);
