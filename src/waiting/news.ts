/**
 * News of tickets: wake-ups, the messages by which Redis tells an instance that tickets of its calls were granted or
 * have ended; news that comes before the reply which names its ticket; and how waits end, for metrics
 * (docs/specification.md#waiting-lifetimes). Wake-ups may be lost; beats repeat grants.
 */
import { RESERVE_STATUSES } from '../domain/reservations.ts';
import { WAIT_ENDS } from '../domain/waiting.ts';

/** The reason for which a ticket ended without success, as its caller gets it. */
export interface Ending {
  readonly status: (typeof RESERVE_STATUSES)[number];
  readonly explanation: string;
  /** The item of a transaction that has this status; -1: all items have it. */
  readonly failedAt: number;
}

/** The ending of all tickets of a tenant that was reset. */
export const RESET: Ending = { status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE: reset', failedAt: -1 };

export type WakeUp =
  | { readonly kind: 'granted'; readonly ticket: string }
  | { readonly kind: 'ended'; readonly ticket: string; readonly ending: Ending }
  | { readonly kind: 'reset' };

/** Reads a message. Lines of an unknown form are left out: a later release may send them. */
export const parseWakeUps = (message: string): WakeUp[] => message.split('\n').flatMap(parseLine);

function parseLine(line: string): WakeUp[] {
  const [ticket = '', kind, statusText, explanation = '', failedAt] = line.split('\t');
  if (kind === 'RESET') return [{ kind: 'reset' }];
  if (kind === 'GRANTED') return [{ kind: 'granted', ticket }];
  const status = RESERVE_STATUSES.find((one) => one === statusText);
  if (kind !== 'ENDED' || status === undefined) return [];
  return [{ kind: 'ended', ticket, ending: { status, explanation, failedAt: Number(failedAt ?? -1) } }];
}

/** The news of a ticket. `left`: Redis was told that no call of this instance attends it. */
export type News = { readonly kind: 'granted' | 'left' } | { readonly kind: 'ended'; readonly ending: Ending };

/** No script runs longer. */
const KEPT_MS = 5000;

export class EarlyNews {
  /** Ticket → its last news, the oldest first. */
  readonly #news = new Map<string, { readonly news: News; readonly at: number }>();

  add(ticket: string, news: News): void {
    const now = performance.now();
    for (const [old, { at }] of this.#news) {
      if (now - at < KEPT_MS) break;
      this.#news.delete(old);
    }
    if (this.#news.get(ticket)?.news.kind === 'ended') return;
    this.#news.delete(ticket);
    this.#news.set(ticket, { news, at: now });
  }

  /**
   * Returns what a script's reply may have missed.
   * @param since when the script was called, as performance.now() counts: it knew of what had come before
   */
  take(ticket: string, since: number): News | undefined {
    const found = this.#news.get(ticket);
    return found === undefined || found.at < since ? undefined : found.news;
  }

  clear(): void {
    this.#news.clear();
  }
}

export const WAIT_OUTCOMES = [...WAIT_ENDS, 'RESET'] as const;
export type WaitOutcome = (typeof WAIT_OUTCOMES)[number];

/**
 * Called when a call sees the end of a wait.
 * @param waitedMs time until the grant, in ms; undefined: it was not granted
 */
export type OnWaitEnded = (outcome: WaitOutcome, waitedMs: number | undefined) => void;

/** The result of an item or a ticket that no longer waits. */
interface Told {
  readonly status: string;
  readonly explanation: string;
}

/** A refusal without a reason of its own means that the time of the wait is over. */
export function outcomeOf({ status, explanation }: Told): WaitOutcome {
  if (explanation === 'NOT_AVAILABLE: cancelled') return 'CANCELLED';
  if (explanation === 'NOT_AVAILABLE: reset') return 'RESET';
  return WAIT_OUTCOMES.find((outcome) => outcome === status) ?? 'ELAPSED';
}
