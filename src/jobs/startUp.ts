/**
 * Starts an instance, and retries until that works. An instance that is started before its Redis is not ready
 * meanwhile, logs why, and begins to serve once Redis is reachable.
 */
import type { Logger } from 'pino';

/** Pauses between lines with the same reason grow, since an instance may have to wait for days. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
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
  const said = new Set<string>();
  let pauseMs = FIRST_PAUSE_MS;
  let logTimer: NodeJS.Timeout | undefined;
  const say = () => {
    log.warn({ reason: state.fault }, 'not ready');
    logTimer = setTimeout(say, pauseMs);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  };
  const sayIfNew = (reason: string) => {
    if (said.has(reason)) return;
    said.add(reason);
    clearTimeout(logTimer);
    pauseMs = FIRST_PAUSE_MS;
    say();
  };
  const stopTimers = () => {
    clearTimeout(logTimer);
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
    } else if (!isClosed) {
      sayIfNew(state.fault);
      retryTimer = setTimeout(() => void retry(), RETRY_EVERY_MS);
    }
  };
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
