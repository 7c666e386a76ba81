/**
 * Carries out the steps of histories that have to do with sessions, on the engine and on the model, and compares the
 * sessions that there are.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { HoldfastError } from '../../src/domain/errors.ts';
import { packToken } from '../../src/engine/reservations/releaseToken.ts';
import { beginSession, endSession, renewSession, sessions } from '../../src/engine/sessions.ts';
import type { RunningEngine } from '../support/engine.ts';
import { all } from '../support/listed.ts';
import { Queue } from './queue.ts';
import { iso, type Session } from './state.ts';
import { fieldOf } from './stored.ts';
import { type Lasting, sessionOf } from './tickets.ts';

/** A living session of the requester, the nth; or the nth of all that have begun, and an unknown one if none has. */
export type SessionChoice = { of: 'own' | 'any'; nth: number };

/** The nth session is that of those that live, or of those that have ended. */
export type SessionStep =
  | { do: 'begin session'; requester: string; ttlSeconds: number }
  | { do: 'renew session' | 'end session'; isEnded: boolean; nth: number; isTokenRight: boolean };

export class SessionHistory {
  /** Every session that began, in order. */
  private readonly begun: { session: string; token: string }[] = [];
  private readonly running: RunningEngine;
  private readonly model: Sessions;

  constructor(running: RunningEngine, model: Sessions) {
    this.running = running;
    this.model = model;
  }

  /** Time for which a reservation of this requester is to last. */
  lasting(requester: string, ttlSeconds: number, choice: SessionChoice | undefined): Lasting {
    if (choice === undefined) return { ttlSeconds };
    const isOwn = ({ session }: { session: string }) => this.model.sessions.get(session)?.requester === requester;
    const known = choice.of === 'own' ? this.begun.filter(isOwn) : this.begun;
    const session = known[choice.nth % known.length]?.session;
    if (session !== undefined) return { session };
    return choice.of === 'own' ? { ttlSeconds } : { session: randomUUID() };
  }

  /** Returns true if an item names a session that belongs to another requester. */
  isForeign(items: readonly ({ requester: string } & Partial<Record<'session', string>>)[]): boolean {
    return items.some(({ requester, session = '' }) => {
      const owner = this.model.sessions.get(session)?.requester;
      return owner !== undefined && owner !== requester;
    });
  }

  async carryOut(step: SessionStep): Promise<void> {
    const { engine, credential } = this.running;
    if (step.do === 'begin session') {
      const { requester, ttlSeconds } = step;
      const answer = await beginSession(engine, credential, { requester, ttlSeconds }).catch(codeOf);
      const { session, token, expiresAt } =
        typeof answer === 'string' ? { session: '', token: '', expiresAt: answer } : answer.result;
      expect(expiresAt).toBe(iso(this.model.begin(session, { requester, token, ttlSeconds })) ?? 'limited');
      if (typeof answer !== 'string') this.begun.push({ session, token });
      return;
    }
    const known = this.begun.filter(({ session }) => this.model.sessions.has(session) !== step.isEnded);
    const one = known[step.nth % known.length];
    if (one === undefined) return;
    const proof = { ...one, token: step.isTokenRight ? one.token : randomUUID() };
    if (step.do === 'renew session') {
      const { result } = await renewSession(engine, credential, proof);
      const expiresAt = iso(this.model.renewSession(proof.session, proof.token));
      expect(result).toEqual({ status: expiresAt === null ? 'NOT_FOUND' : 'RENEWED', expiresAt });
    } else {
      const { result } = await endSession(engine, credential, proof);
      const released = this.model.endSession(proof.session, proof.token);
      expect(result).toEqual({ status: released === null ? 'NOT_FOUND' : 'ENDED', released: released ?? 0 });
    }
  }

  /** @throws if what Redis has of sessions is not what the model has */
  async compareStored(): Promise<void> {
    const { redis } = this.running.engine;
    const base = `{${this.running.credential.tenant}}:`;
    const [stored, due, holds, counted] = await Promise.all([
      redis.hkeys(`${base}sessions`),
      redis.zrange(`${base}sessionsDue`, '0', '-1', 'WITHSCORES'),
      redis.zrange(`${base}sessionHolds`, '0', '-1'),
      redis.hget(`${base}tenant`, 'sessions'),
    ]);
    const living = [...this.model.sessions];
    expect(stored.sort(), 'stored sessions').toEqual(living.map(([session]) => packToken(session)).sort());
    expect(due, 'due times of sessions').toEqual(
      living
        .toSorted(([a, one], [b, other]) => one.expiresAt - other.expiresAt || (packToken(a) < packToken(b) ? -1 : 1))
        .flatMap(([session, { expiresAt }]) => [packToken(session), String(expiresAt)]),
    );
    expect(holds.sort(), 'reservations of sessions').toEqual(
      this.model.reservations
        .flatMap((one) => (one.session === undefined ? [] : `${packToken(one.session)}\n${fieldOf(one)}`))
        .sort(),
    );
    expect(counted?.split(' ')[0] ?? '0', 'number of sessions').toBe(String(living.length));
  }

  /** @throws if the engine lists other sessions than the model has */
  async compare(): Promise<void> {
    const { engine, credential } = this.running;
    const listed = await all(sessions(engine, credential));
    const expected = [...this.model.sessions].map(([session, { requester, ttlSeconds, createdAt, expiresAt }]) => ({
      session,
      requester,
      ttlSeconds,
      createdAt: iso(createdAt),
      expiresAt: iso(expiresAt),
      holds: this.model.holdsOf(session),
      apiKeyLabel: null,
    }));
    const inOrder = (rows: { session: string }[]) => rows.toSorted((a, b) => (a.session < b.session ? -1 : 1));
    expect(inOrder(listed), 'sessions').toEqual(inOrder(expected));
  }
}

/** The code of what refuses a request as a whole. */
export function codeOf(error: unknown): string {
  if (error instanceof HoldfastError) return error.code;
  throw error;
}

/** The result of a call, or the code of the error with which it is refused as a whole. */
export const refusable = <T>(call: Promise<{ result: T }>): Promise<T | string> =>
  call.then(({ result }) => result, codeOf);

/**
 * Sessions in the model: a caller keeps all reservations and tickets of a session by one heartbeat, and loses all of
 * them together (docs/specification.md#sessions).
 */

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
