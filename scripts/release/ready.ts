/** Waits for a service that was started to be tried. */
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 60_000;

/**
 * Resolves when a service is ready.
 * @param url its address
 * @param name for the error
 * @throws Error if it is not ready after 60 s
 */
export async function waitUntilReady(url: string, name: string): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) {
    if (Date.now() > until) throw new Error(`${name} is not ready after ${READY_WITHIN_MS / 1000} s`);
    await sleep(200);
  }
}
