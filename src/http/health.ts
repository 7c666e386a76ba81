/**
 * The checks behind /healthz and /readyz.
 */

/** Returns why the instance cannot serve; null if it can. */
export type ReadinessCheck = () => Promise<string | null>;

/** Returns why the process should be restarted; null if it should not. */
export type LivenessCheck = () => string | null;

/** How long a result is reused. */
const REUSED_MS = 500;

/**
 * Runs one check at a time and reuses its result for half a second: anybody may call /readyz, and each check costs
 * Redis nine commands.
 */
export function shareCheck(check: ReadinessCheck): ReadinessCheck {
  let last: Promise<string | null> | undefined;
  return () => {
    if (last === undefined) {
      last = check();
      const forget = () => {
        last = undefined;
      };
      last.finally(() => setTimeout(forget, REUSED_MS).unref()).catch(() => {});
    }
    return last;
  };
}
