/** Says on stderr that the service cannot be reached, while the client tries again. */
import { watchRequests } from '../http/watched.ts';
import { say } from './output.ts';

/** This long after the first attempt that failed, in ms. */
const AFTER_FAILURE_MS = 2000;
/** This long without any response, in ms: a service under load may take a while. */
const AFTER_SILENCE_MS = 5000;

class Outage {
  readonly #where: string;
  readonly #howLong: () => string;
  #timer: NodeJS.Timeout | undefined;
  /** When the first attempt began that failed. */
  #since: number | undefined;
  #why = 'does not answer';
  #isSaid = false;

  constructor(where: string, howLong: () => string) {
    this.#where = where;
    this.#howLong = howLong;
  }

  started(): void {
    this.#timer ??= this.#sayIn(AFTER_SILENCE_MS);
  }

  failed(startedAt: number, why: string): void {
    this.#why = why;
    if (this.#since !== undefined) return;
    this.#since = startedAt;
    clearTimeout(this.#timer);
    this.#timer = this.#sayIn(startedAt + AFTER_FAILURE_MS - performance.now());
  }

  answered(): void {
    clearTimeout(this.#timer);
    if (this.#isSaid) say(`${this.#where} answers again`);
    this.#timer = undefined;
    this.#since = undefined;
    this.#isSaid = false;
  }

  #sayIn(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      if (!this.#isSaid) say(`${this.#where} ${this.#why}: trying again ${this.#howLong()}`);
      this.#isSaid = true;
    }, ms);
    return timer.unref();
  }
}

/** The service holds these requests: no response says nothing. */
const isHeld = (path: string) => path.includes('pollSeconds=');

/**
 * Watches the requests of this process to the service.
 * @param howLong says how long the client goes on: `for up to 30s`
 */
export function sayOutages(url: string, howLong: () => string): void {
  const outage = new Outage(new URL(url).origin, howLong);
  watchRequests((path, response) => {
    const startedAt = performance.now();
    if (!isHeld(path)) outage.started();
    response.then(
      ({ status }) => {
        if (/^50[234]$/.test(String(status))) outage.failed(startedAt, `answers ${status}`);
        else outage.answered();
      },
      () => outage.failed(startedAt, 'cannot be reached'),
    );
  });
}
