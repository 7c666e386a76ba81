/**
 * What faults make uncertain: answered writes that they may undo, leases while they move the clock, times near them.
 */
import type { FaultSeen, History } from '../history.ts';

/** From when until when something happened or may happen, in ms. */
export interface Span {
  readonly from: number;
  readonly by: number;
}

export interface Undoing {
  /** From when on an answered write may be undone. Infinity: nothing undoes it. */
  undoneFrom(write: Span): number;
  /**
   * When a lease may end by the clock of Redis, if it was set at `setAt` and no clock is moved then it ends in `due`.
   */
  withSteps(setAt: number, due: Span): Span;
  /** Whether something is broken, or recovers, within a time. */
  isNear(from: number, by: number): boolean;
}

/** The calls of the reviewed service take a moment to be answered after a fault was seen, and before. */
const MARGIN_MS = 250;

export function undoingOf({ faults }: Pick<History, 'faults'>): Undoing {
  const losing = faults.filter(({ loses }) => loses !== 'nothing');
  const stepping = faults.filter(({ clockStepMs }) => clockStepMs !== 0);
  return {
    undoneFrom: ({ from, by }) => {
      const hits = losing.filter(
        (fault) => from <= fault.healedAt + MARGIN_MS && by >= fault.startedAt - recentMs(fault),
      );
      return Math.min(...hits.map((fault) => Math.max(fault.startedAt, by)));
    },
    withSteps: (setAt, due) => {
      let { from, by } = due;
      for (const { startedAt, healedAt, clockStepMs } of stepping) {
        // A lease that was set while the clock was behind is due in the past of the campaign's clock.
        if (setAt > healedAt + MARGIN_MS || startedAt > Math.max(by, setAt)) continue;
        from = Math.min(from, Math.max(startedAt, from - Math.abs(clockStepMs)));
        by += Math.abs(clockStepMs);
      }
      return { from, by };
    },
    isNear: (from, by) =>
      faults.some(({ startedAt, healedAt, servedWithinMs }) => startedAt <= by && healedAt + servedWithinMs >= from),
  };
}

const recentMs = ({ loses }: FaultSeen) => (typeof loses === 'object' ? loses.recentMs : Infinity);

/** A call goes through several processes: each of them may have been as late as the campaign's own. */
const LAGS = 4;

/** Returns how much later than promised something may happen, in ms, since the machine was busy in a time. */
export const slackOf =
  ({ lags }: Pick<History, 'lags'>) =>
  (from: number, by: number): number =>
    LAGS * lags.reduce((sum, lag) => sum + Math.max(0, Math.min(lag.by, by) - Math.max(lag.from, from)), 0);
