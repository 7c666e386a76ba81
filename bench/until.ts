/**
 * Waits for a condition.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** @throws Error with the label, if the condition does not hold in time */
export async function until(
  label: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 10_000,
  everyMs = 10,
): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await holds()); await pause(everyMs))
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${label}`);
}
