/**
 * Starts an instance, and retries until that works. An instance that is started before its Redis is not ready
 * meanwhile, logs why, and begins to serve once Redis is reachable.
 */
import type { Logger } from 'pino';

const LOG_EVERY_MS = 1000;
const RETRY_EVERY_MS = 200;

export interface StartUp {
  /** Why the instance has not started; null once it has. */
  readonly fault: string | null;
  /** Resolves once the instance has started. */
  readonly done: Promise<void>;
  /** Stops retrying. */
  close(): void;
}

/**
 * Tries once, and retries in the background if that fails.
 * @param attempt returns why the instance cannot start; null if it has started
 */
export async function startUp(attempt: () => Promise<string | null>, log: Logger): Promise<StartUp> {
  let retryTimer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let started = () => {};
  const done = new Promise<void>((resolve) => {
    started = resolve;
  });
  const state = { fault: await attempt(), done };
  const logTimer = setInterval(() => log.warn({ reason: state.fault }, 'not ready'), LOG_EVERY_MS);
  const stopTimers = () => {
    clearInterval(logTimer);
    clearTimeout(retryTimer);
  };
  const retry = async () => {
    state.fault = await attempt();
    startOrRetry();
  };
  const startOrRetry = () => {
    if (state.fault === null) {
      stopTimers();
      started();
    } else if (!isClosed) retryTimer = setTimeout(() => void retry(), RETRY_EVERY_MS);
  };
  if (state.fault !== null) log.warn({ reason: state.fault }, 'not ready');
  startOrRetry();
  return {
    get fault() {
      return state.fault;
    },
    done,
    close: () => {
      isClosed = true;
      stopTimers();
    },
  };
}
