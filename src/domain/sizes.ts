/**
 * How large anything a caller sends may be (docs/specification.md#names-and-sizes). Every limit can be set by
 * configuration; these are the defaults.
 */
export interface Sizes {
  /** Characters (code points) of a resource's or requester's name. */
  readonly nameLength: number;
  /** Characters of a `resourceType`. */
  readonly typeLength: number;
  /** The longest lease, in seconds. */
  readonly ttlSeconds: number;
  /** Items of one request. */
  readonly batch: number;
  /** Slots of one resource. */
  readonly capacity: number;
  /** Blockers that one resource declares. */
  readonly blocks: number;
  /** Ancestors of one resource. */
  readonly treeDepth: number;
  /** Bytes of one request's body. */
  readonly bodyBytes: number;
}

export const DEFAULT_SIZES: Sizes = {
  nameLength: 256,
  typeLength: 64,
  ttlSeconds: 31_536_000,
  batch: 500,
  capacity: 100_000,
  blocks: 64,
  treeDepth: 16,
  bodyBytes: 1_048_576,
};
