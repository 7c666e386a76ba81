/**
 * When a delivery that failed is tried again (docs/specification.md#subscriptions).
 */
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after the first failures. Later ones are as long as the last. */
const PAUSES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS] as const;
const LONGEST_PAUSE_MS = 2 * HOUR_MS;
/** Each pause is up to this share shorter or longer, so that retries of many do not come at once. */
const SPREAD = 0.2;

/** A subscription that has failed for so long is disabled. */
export const GIVE_UP_AFTER_MS = 3 * 24 * HOUR_MS;

/**
 * Returns the time until the next attempt, in ms.
 * @param failures number of failures of the batch, at least 1
 * @param retryAfterMs what the receiver asks for. It may make the pause longer, up to two hours
 * @param random from 0 to 1
 */
export function pauseMs(failures: number, retryAfterMs = 0, random = Math.random()): number {
  const planned = (PAUSES_MS[failures - 1] ?? LONGEST_PAUSE_MS) * (1 + SPREAD * (2 * random - 1));
  return Math.round(Math.max(planned, Math.min(retryAfterMs, LONGEST_PAUSE_MS)));
}
