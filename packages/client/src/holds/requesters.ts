/**
 * Who reserves. A client's own requester is unique. Reservations that one client makes at the same time exclude each
 * other too: while one of the same name is wanted or held, the next one is made by `<requester>#2`, and so on.
 */
import { ENDLESS } from '../durations.ts';
import { CLOCKS, type Clocks } from './clocks.ts';

/** Clocks drift: a number is used again this much later than the lease of the last one ends. */
const DRIFT_MS = 1000;

/** One reservation, from when it is wanted until it has ended. */
export interface Use {
  readonly requester: string;
  /** 1: the requester itself; 2: `<requester>#2`. 0: the caller chose the requester. */
  readonly number: number;
  readonly keys: readonly string[];
  tokens: readonly string[];
  /** Monotonic clock: it has ended by then, even if nobody says so. */
  endsBy(): number;
}

export class Requesters {
  /** The client's requester. */
  readonly base: string;
  readonly #isChosen: boolean;
  readonly #clocks: Clocks;
  /** By number and name. */
  readonly #uses = new Map<string, Use>();
  readonly #byToken = new Map<string, Use>();
  #sessions = 0;
  #sweepAt = 1024;

  /** @param chosen the requester that the user chose for the client */
  constructor(chosen: string | undefined, clocks: Clocks = CLOCKS) {
    this.#isChosen = chosen !== undefined;
    this.base = chosen ?? uniqueRequester();
    this.#clocks = clocks;
  }

  /**
   * Finds the requester for a reservation.
   * @param keys the names that it takes
   * @param chosen the requester that the user chose for the call
   * @param above only with higher numbers than this
   */
  begin(keys: readonly string[], chosen: string | undefined, above: number): Use {
    this.#sweep();
    const isNumbered = chosen === undefined && !this.#isChosen;
    let number = isNumbered ? above + 1 : 0;
    while (isNumbered && !keys.every((key) => this.#isFree(key, number))) number += 1;
    const requester = number > 1 ? `${this.base}#${number}` : (chosen ?? this.base);
    const use: Use = { requester, number, keys, tokens: NONE, endsBy: never };
    if (isNumbered) for (const key of keys) this.#uses.set(placeOf(key, number), use);
    return use;
  }

  /**
   * The reservation was made.
   * @param endsBy monotonic clock: the latest end of its lease
   */
  made(use: Use, tokens: readonly string[], endsBy: () => number): void {
    use.endsBy = endsBy;
    use.tokens = tokens;
    for (const token of tokens) this.#byToken.set(token, use);
  }

  /** It was not made, or it has been released. */
  end(use: Use): void {
    for (const token of use.tokens) if (this.#byToken.get(token) === use) this.#byToken.delete(token);
    for (const key of use.keys) {
      const place = placeOf(key, use.number);
      if (this.#uses.get(place) === use) this.#uses.delete(place);
    }
    // V8 keeps what was in a Map for a while: with it, it would keep all of the reservation.
    use.tokens = NONE;
    use.endsBy = never;
  }

  /** Returns true if a reservation that this client made, and that may be in force, has this release token. */
  isHeld(token: string): boolean {
    const use = this.#byToken.get(token);
    return use !== undefined && !this.#isOver(use);
  }

  /** All requesters that may wait for a name now: the client's own, and its numbers. */
  waitingFor(key: string): string[] {
    const uses = [...this.#uses.values()].filter(({ keys }) => keys.includes(key));
    return [...new Set([this.base, ...uses.map(({ requester }) => requester)])];
  }

  /** A requester for a session: sessions of one client exclude each other too. */
  forSession(chosen: string | undefined): string {
    if (chosen !== undefined || this.#isChosen) return chosen ?? this.base;
    this.#sessions += 1;
    return `${this.base}/session-${this.#sessions}`;
  }

  #isOver(use: Use): boolean {
    return use.endsBy() + DRIFT_MS < this.#clocks.monotonic();
  }

  #isFree(key: string, number: number): boolean {
    const use = this.#uses.get(placeOf(key, number));
    return use === undefined || this.#isOver(use);
  }

  /** Forgets reservations that were never released, whose leases have ended. */
  #sweep(): void {
    if (this.#byToken.size < this.#sweepAt) return;
    for (const use of new Set(this.#byToken.values())) if (this.#isOver(use)) this.end(use);
    this.#sweepAt = Math.max(1024, 2 * this.#byToken.size);
  }
}

const NONE: readonly string[] = [];
const never = () => ENDLESS;
const placeOf = (key: string, number: number): string => `${number} ${key}`;

/** Of Node, Bun and Deno; pages have none, or one without a pid, from their bundler. */
declare const process:
  | { readonly pid?: number; getBuiltinModule?(name: 'node:os'): { hostname(): string } | undefined }
  | undefined;

/** Deno asks its user before it tells the name of the host, unless that is allowed. */
declare const Deno:
  | { readonly permissions: { querySync(kind: { name: 'sys'; kind: 'hostname' }): { readonly state: string } } }
  | undefined;

const mayAskHost = (): boolean =>
  typeof Deno === 'undefined' || Deno.permissions.querySync({ name: 'sys', kind: 'hostname' }).state === 'granted';

/** `<host>-<pid>-<random>`, as far as there are such; in a browser only random characters. */
function uniqueRequester(): string {
  if (typeof process === 'undefined' || process.pid === undefined) return randomText(16);
  const host = mayAskHost() ? process.getBuiltinModule?.('node:os')?.hostname().slice(0, 64) : 'deno';
  return [host, process.pid, randomText(8)].filter(Boolean).join('-');
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Random letters and digits, 5 bits each. Pages without TLS have no `crypto.randomUUID`. */
export function randomText(length: number): string {
  return [...crypto.getRandomValues(new Uint8Array(length))].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}
