/**
 * The maximum sizes of what callers send (docs/specification.md#names-and-sizes): all can be configured.
 */
export interface Sizes {
  /** Characters (code points) of a resource's or requester's name. */
  readonly nameLength: number;
  /** Characters of a `resourceType`. */
  readonly typeLength: number;
  /** Characters of a `note`. */
  readonly noteLength: number;
  /** Seconds of a lease. */
  readonly ttlSeconds: number;
  /** Items of a request. */
  readonly batch: number;
  /** Slots of a resource. */
  readonly capacity: number;
  /** Blockers that a resource declares. */
  readonly blocks: number;
  /** Labels of a resource. */
  readonly labels: number;
  /** Ancestors of a resource. */
  readonly treeDepth: number;
  /** Seconds that a request waits. */
  readonly waitSeconds: number;
  /** Items of a transaction that waits. */
  readonly waitingItems: number;
  /** Bytes of the names and notes of a request that waits. */
  readonly waitingBytes: number;
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
}

export const DEFAULT_SIZES: Sizes = {
  nameLength: 256,
  typeLength: 64,
  noteLength: 500,
  ttlSeconds: 31_536_000,
  batch: 500,
  capacity: 100_000,
  blocks: 64,
  labels: 16,
  treeDepth: 16,
  waitSeconds: 86_400,
  waitingItems: 20,
  waitingBytes: 8192,
  bodyBytes: 1_048_576,
};
