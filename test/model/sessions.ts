/**
 * Sessions in the model: a caller keeps all reservations and tickets of a session by one heartbeat, and loses all of
 * them together (docs/specification.md#sessions).
 */
import { Queue } from './queue.ts';
import type { Session } from './state.ts';
import { sessionOf } from './tickets.ts';

export class Sessions extends Queue {
  /** Begins a session with the id that the engine gave it. Returns when it ends; null if it would exceed the cap. */
  begin(id: string, session: Pick<Session, 'requester' | 'token' | 'ttlSeconds'>): number | null {
    const expiresAt = this.nowMs + session.ttlSeconds * 1000;
    return this.capped(() => {
      this.sessions.set(id, { ...session, createdAt: this.nowMs, expiresAt });
      return expiresAt;
    });
  }

  /** Renews a session. Returns when it ends; null if there is none with this token. */
  renewSession(id: string, token: string): number | null {
    const session = this.sessions.get(id);
    if (session?.token !== token) return null;
    session.expiresAt = this.nowMs + session.ttlSeconds * 1000;
    return session.expiresAt;
  }

  /** Ends a session. Returns the number of reservations that it had; null if there is none with this token. */
  endSession(id: string, token: string): number | null {
    if (this.sessions.get(id)?.token !== token) return null;
    const released = this.holdsOf(id);
    this.clear(id);
    this.settle();
    return released;
  }

  holdsOf(id: string): number {
    return this.reservations.filter(({ session }) => session === id).length;
  }

  /** Ends the tickets and the reservations of a session that is over. */
  protected clear(id: string): void {
    this.sessions.delete(id);
    this.tickets = this.tickets.filter((ticket) => sessionOf(ticket) !== id);
    for (const one of this.reservations) if (one.session === id) this.end(one);
  }
}
