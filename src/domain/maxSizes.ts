/**
 * The maximum sizes of what callers send (docs/specification.md#names-and-sizes): those that can be configured, and
 * those that are the same everywhere.
 */
export interface Sizes {
  /** Seconds of a lease. */
  readonly ttlSeconds: number;
  /** Items of a request. */
  readonly batch: number;
  /** Seconds that a request waits. */
  readonly waitSeconds: number;
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
}

export const DEFAULT_SIZES: Sizes = { ttlSeconds: 31_536_000, batch: 500, waitSeconds: 86_400, bodyBytes: 1_048_576 };

/** Characters (code points) of a resource's or requester's name. */
export const MAX_NAME_LENGTH = 256;
/** Characters of a `resourceType`. */
export const MAX_TYPE_LENGTH = 64;
/** Characters of a `note`. */
export const MAX_NOTE_LENGTH = 500;
/** Slots of a resource. */
export const MAX_CAPACITY = 100_000;
/** Blockers that a resource declares. */
export const MAX_BLOCKS = 64;
/** Labels of a resource. */
export const MAX_LABELS = 16;
/** Ancestors of a resource. */
export const MAX_TREE_DEPTH = 16;
/** Items of a transaction that waits. */
export const MAX_WAITING_ITEMS = 20;
/** Different matches of a transaction that waits. */
export const MAX_WAITING_MATCHES = 4;
/** Bytes of the names and notes of a request that waits. */
export const MAX_WAITING_BYTES = 8192;
