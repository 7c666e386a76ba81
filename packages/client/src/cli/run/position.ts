/**
 * Tells people their position in the queue, on stderr: on a terminal as one line that is rewritten, elsewhere as a line
 * when the position has changed, at most every 10 s.
 */
import { isatty } from 'node:tty';
import type { Waiting } from '../../types.ts';
import { CLEAR_LINE, say, write } from '../output.ts';
import { span } from '../times.ts';

const LINE_EVERY_MS = 10_000;
const REWRITE_EVERY_MS = 1000;

/** Where it is told. */
export interface Screen {
  readonly isTerminal: boolean;
  /** Prints a line. */
  say(message: string): void;
  /** Writes as it is. */
  write(text: string): void;
}

export class Position {
  readonly #screen: Screen;
  readonly #what: string;
  readonly #started = performance.now();
  #text = '';
  #printed = '';
  #printedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param what what is waited for */
  constructor(what: string, screen: Screen = { isTerminal: isatty(2), say, write }) {
    this.#what = what;
    this.#screen = screen;
  }

  update({ ahead, waitsFor }: Waiting): void {
    const behind = waitsFor === this.#what ? '' : ` (${waitsFor} is not free)`;
    this.#text = `waiting for ${this.#what}: ${ahead} ahead${behind}`;
    this.#show();
  }

  /** To be called when the wait is over. */
  stop(): void {
    clearTimeout(this.#timer);
    if (this.#screen.isTerminal && this.#text !== '') this.#screen.write(CLEAR_LINE);
    this.#text = '';
  }

  #show(): void {
    clearTimeout(this.#timer);
    const early = this.#printedAt + LINE_EVERY_MS - performance.now();
    if (this.#screen.isTerminal) this.#rewrite();
    else if (this.#text !== this.#printed && early > 0) this.#timer = setTimeout(() => this.#show(), early);
    else if (this.#text !== this.#printed) this.#print();
  }

  #print(): void {
    this.#printed = this.#text;
    this.#printedAt = performance.now();
    this.#screen.say(this.#text);
  }

  #rewrite(): void {
    this.#screen.write(CLEAR_LINE);
    // Without its line break: the next one takes its place.
    this.#screen.write(`holdfast: ${this.#text}, for ${span(performance.now() - this.#started)}`);
    this.#timer = setTimeout(() => this.#rewrite(), REWRITE_EVERY_MS);
  }
}
