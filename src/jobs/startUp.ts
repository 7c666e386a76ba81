/**
 * The start of an instance: tried until it works, so that one that is started before its Redis is not ready meanwhile,
 * says why, and serves by itself once Redis is there.
 */
import type { Logger } from 'pino';

const SAY_EVERY_MS = 1000;
const TRY_EVERY_MS = 200;

export interface StartUp {
  /** Why it has not started; null once it has. */
  readonly fault: string | null;
  /** Settled once it has started. */
  readonly done: Promise<void>;
  /** Gives up. */
  close(): void;
}

/**
 * Tries once, and goes on in the background if that fails.
 * @param attempt gives the reason why it cannot start; null if it has
 */
export async function startUp(attempt: () => Promise<string | null>, log: Logger): Promise<StartUp> {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let started = () => {};
  const done = new Promise<void>((resolve) => {
    started = resolve;
  });
  const state = { fault: await attempt(), done };
  const say = setInterval(() => log.warn({ reason: state.fault }, 'not ready'), SAY_EVERY_MS);
  const end = () => {
    clearInterval(say);
    clearTimeout(timer);
  };
  const tryAgain = async () => {
    state.fault = await attempt();
    goOn();
  };
  const goOn = () => {
    if (state.fault === null) {
      end();
      started();
    } else if (!isClosed) timer = setTimeout(() => void tryAgain(), TRY_EVERY_MS);
  };
  if (state.fault !== null) log.warn({ reason: state.fault }, 'not ready');
  goOn();
  return {
    get fault() {
      return state.fault;
    },
    done,
    close: () => {
      isClosed = true;
      end();
    },
  };
}
