/**
 * News of tickets that arrives while scripts are running, whose replies may name these tickets only later.
 */
import type { Ending } from './wakeUps.ts';

/** What became of a ticket. `left`: Redis was told that no call of this instance attends it. */
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
