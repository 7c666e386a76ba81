/**
 * Tells people their position in the queue and who is in the way, on stderr: on a terminal as one line that is
 * rewritten, elsewhere as a line. A line comes at once if the position is worse, 10 s after the last one if it is
 * better or somebody else is in the way, and otherwise every minute, so that a log shows what a job waits for.
 */
import { isatty } from 'node:tty';
import type { Waiting } from '../../types.ts';
import { span } from '../moments.ts';
import { CLEAR_LINE, plain, say, write } from '../output.ts';
import { inTheWayText } from '../reason.ts';

const CHANGED_AFTER_MS = 10_000;
const SAME_AFTER_MS = 60_000;
const REWRITE_EVERY_MS = 1000;

/** The terminal or file that a position is printed to. */
export interface Screen {
  readonly isTerminal: boolean;
  /** The width of the terminal. */
  readonly columns: number;
  /** Prints a line. */
  say(message: string): void;
  /** Writes as it is. */
  write(text: string): void;
}

const STDERR: Screen = {
  isTerminal: isatty(2),
  get columns() {
    return process.stderr.columns ?? 80;
  },
  say,
  write,
};

export class Position {
  readonly #screen: Screen;
  readonly #what: string;
  readonly #started = performance.now();
  #waiting: Waiting | undefined;
  #printed: Waiting | undefined;
  #printedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param what the name of the resources */
  constructor(what: string, screen: Screen = STDERR) {
    this.#what = what;
    this.#screen = screen;
  }

  update(waiting: Waiting): void {
    this.#waiting = waiting;
    this.#show();
  }

  /** To be called when the wait is over. */
  stop(): void {
    clearTimeout(this.#timer);
    if (this.#screen.isTerminal && this.#waiting !== undefined) this.#screen.write(CLEAR_LINE);
    this.#waiting = undefined;
  }

  #show(): void {
    clearTimeout(this.#timer);
    if (this.#waiting === undefined) return;
    if (this.#screen.isTerminal) {
      this.#rewrite(this.#waiting);
      return;
    }
    const early = this.#printedAt + pauseBefore(this.#waiting, this.#printed) - performance.now();
    if (early <= 0) this.#print(this.#waiting);
    this.#timer = setTimeout(() => this.#show(), early > 0 ? early : SAME_AFTER_MS);
  }

  #print(waiting: Waiting): void {
    this.#printed = waiting;
    this.#printedAt = performance.now();
    this.#screen.say(this.#textOf(waiting));
  }

  #rewrite(waiting: Waiting): void {
    const text = `holdfast: ${plain(this.#textOf(waiting, `, for ${span(performance.now() - this.#started)}`))}`;
    this.#screen.write(CLEAR_LINE);
    // Without its line break: the next one takes its place. It must not be longer than a line.
    this.#screen.write([...text].slice(0, this.#screen.columns - 1).join(''));
    this.#timer = setTimeout(() => this.#show(), REWRITE_EVERY_MS);
  }

  /** @param since how long it has waited */
  #textOf({ ahead, waitsFor, reason }: Waiting, since = ''): string {
    const at = waitsFor === this.#what ? '' : ` for ${waitsFor}`;
    const place = ahead === 0 ? `you are next${at}` : `${ahead} before you${at}`;
    const inTheWay = reason === undefined ? '' : inTheWayText(reason);
    return `waiting for ${this.#what}${since}: ${place}${inTheWay === '' ? '' : `. ${inTheWay}`}`;
  }
}

/** Time from the last line to the next one, in ms. */
function pauseBefore(now: Waiting, printed: Waiting | undefined): number {
  if (printed === undefined || now.ahead > printed.ahead) return 0;
  return keyOf(now) === keyOf(printed) ? SAME_AFTER_MS : CHANGED_AFTER_MS;
}

/** The text of a line without times. */
const keyOf = ({ ahead, waitsFor, reason }: Waiting) =>
  JSON.stringify([ahead, waitsFor, reason?.holders.map(({ requester, slot }) => [requester, slot])]);
