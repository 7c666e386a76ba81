/**
 * Checks of the process that /healthz and /readyz answer with.
 */

/** What keeps the instance from serving; null if nothing does. */
export type ReadinessCheck = () => Promise<string | null>;

/** Why the process should be restarted; null if it should not. */
export type LivenessCheck = () => string | null;

/** How long a result is reused. */
const REMEMBERED_MS = 500;

/**
 * Runs one check at a time and remembers what it found for half a second: anybody may ask, and each check costs Redis
 * nine commands.
 */
export function shareCheck(check: ReadinessCheck): ReadinessCheck {
  let last: Promise<string | null> | undefined;
  return () => {
    if (last === undefined) {
      last = check();
      const forget = () => {
        last = undefined;
      };
      last.finally(() => setTimeout(forget, REMEMBERED_MS).unref()).catch(() => {});
    }
    return last;
  };
}
