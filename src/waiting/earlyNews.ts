/**
 * News of tickets that arrives while scripts are running, whose replies may name these tickets only later.
 */
import type { Ending } from './wakeUps.ts';

/** What became of a ticket. `left`: the last call that attended it has ended, and Redis is told so. */
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
    this.#news.delete(ticket);
    this.#news.set(ticket, { news, at: now });
  }

  /**
   * Returns what a script's reply may have missed.
   * @param since when the script was called, as performance.now() counts: it knew of earlier grants and endings
   */
  take(ticket: string, since: number): News | undefined {
    const found = this.#news.get(ticket);
    if (found === undefined) return undefined;
    // Redis may be told after the script was called.
    if (found.news.kind === 'left') this.#news.delete(ticket);
    else if (found.at < since) return undefined;
    return found.news;
  }

  clear(): void {
    this.#news.clear();
  }
}
