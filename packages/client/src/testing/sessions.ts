/** Sessions of the fake: reservations that end together. */
import type { BegunSession, EndedSession, RenewedSession, SessionInfo } from '../types.ts';
import { isoOf, type Row, type Store } from './store.ts';

interface Entry {
  readonly requester: string;
  readonly ttlMs: number;
  readonly createdAt: number;
  expiresAt: number;
  stopTimer(): void;
}

export class Sessions {
  readonly #store: Store;
  readonly #all = new Map<string, Entry>();

  constructor(store: Store) {
    this.#store = store;
  }

  begin({ requester, ttlSeconds }: { readonly requester: string; readonly ttlSeconds: number }): BegunSession {
    const session = crypto.randomUUID();
    const createdAt = this.#store.clock.wall();
    const entry = { requester, ttlMs: ttlSeconds * 1000, createdAt, expiresAt: createdAt, stopTimer: () => {} };
    this.#all.set(session, entry);
    this.#extend(session, entry);
    return { session, token: crypto.randomUUID(), expiresAt: isoOf(entry.expiresAt) };
  }

  renew(session: string): RenewedSession {
    const entry = this.#all.get(session);
    if (entry === undefined) return { status: 'NOT_FOUND', expiresAt: null };
    this.#extend(session, entry);
    return { status: 'RENEWED', expiresAt: isoOf(entry.expiresAt) };
  }

  end(session: string): EndedSession {
    const entry = this.#all.get(session);
    if (entry === undefined) return { status: 'NOT_FOUND', released: 0 };
    entry.stopTimer();
    this.#all.delete(session);
    const rows = this.#rowsOf(session);
    for (const row of rows) this.#store.release(row);
    return { status: 'ENDED', released: rows.length };
  }

  list(): SessionInfo[] {
    return [...this.#all].map(([session, { requester, ttlMs, createdAt, expiresAt }]) => ({
      session,
      requester,
      ttlSeconds: ttlMs / 1000,
      createdAt: isoOf(createdAt),
      expiresAt: isoOf(expiresAt),
      holds: this.#rowsOf(session).length,
      apiKeyLabel: null,
    }));
  }

  #extend(session: string, entry: Entry): void {
    entry.stopTimer();
    entry.expiresAt = this.#store.clock.wall() + entry.ttlMs;
    entry.stopTimer = this.#store.clock.timer(() => this.end(session), entry.ttlMs);
  }

  #rowsOf(session: string): Row[] {
    return [...this.#store.rows].filter(({ item }) => item.session === session);
  }
}
