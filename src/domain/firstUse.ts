/** Loads parts that few instances need at their first use, so that instances start faster and need less memory. */

/**
 * Returns a function that loads something at its first call and gives the same to each further call. If loading fails,
 * the next call tries again.
 */
export function onFirstUse<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** Returns a function that makes something at its first call and gives the same to each further call. */
export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
