/**
 * The caller of a request that waits, as far as its connection tells.
 */
export interface Caller {
  /** Whether the caller has closed its connection, or has its response. */
  readonly isGone: boolean;
  /** Calls back once, when that is so. */
  onGone(callback: () => void): void;
  /** Called when the response starts to be held: the request takes up little from now on. */
  onHeld?(): void;
}
