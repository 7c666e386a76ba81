/**
 * A job that runs in the background, at regular intervals, on one of the workers at a time.
 */
export interface Job {
  /** The name of its queue, in metrics and in logs. Workers of other versions use the same queue. */
  readonly name: string;
  readonly everyMs: number;
  /** Runs once. An error is logged and does not keep later turns from running. Two turns may overlap. */
  readonly turn: () => Promise<void>;
}
