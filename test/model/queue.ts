/**
 * The model's queue: issues, continues, grants and ends tickets (docs/specification.md#waiting, #waiting-lifetimes).
 */

import { isDeepStrictEqual } from 'node:util';
import type { ReserveResult, TransactionResult } from '../../src/contract/reservations.ts';
import { bookedWhy } from './booked.ts';
import type { Grant, Result, Tokens } from './claims.ts';
import { type Asked, numbered } from './matching.ts';
import type { Model } from './model.ts';
import { isSuccess, undone } from './paper.ts';
import { Starts } from './starts.ts';
import {
  type Call,
  isSameRequest,
  type Rank,
  type Request,
  sessionOf,
  slotsOf,
  type Ticket,
  type Wait,
} from './tickets.ts';

/** The outcome of a request that may wait: its results, or its ticket. */
export type Outcome = { status: TransactionResult['status']; results: Result[] } | { ticket: Ticket };

/** A request that has to wait, and gets its ticket once the whole batch was tried. */
interface Postponed {
  request: Request;
  wait: Wait;
  tokens: Tokens;
}

export class Queue extends Starts {
  private lastId = 0;
  /** Number of slots that may be reserved, those that tickets ask for included. */
  cap = Number.POSITIVE_INFINITY;

  /** Carries a request out. Returns null, with nothing changed, if it would exceed the cap. */
  protected capped<T>(carryOut: () => T, addedOf: (result: T) => number = () => 0): T | null {
    const { tickets, grants, reservations, fence } = this;
    const conditions = new Map(this.conditions);
    const before = { ...structuredClone({ grants, reservations }), sessions: new Map(this.sessions) };
    const slots = () =>
      this.sessions.size +
      this.tickets.reduce((sum, ticket) => sum + slotsOf(ticket.items), 0) +
      this.reservations.reduce((sum, { details }) => sum + (details.slots?.length ?? 1), 0);
    const used = slots();
    const result = carryOut();
    const usedNow = slots() + addedOf(result);
    if (usedNow <= this.cap || usedNow <= used) return result;
    Object.assign(this, { tickets, fence, conditions, ...before });
    this.settle();
    return null;
  }

  /** A batch of reserve items, of which some may wait. Returns an outcome for each; null if it would exceed the cap. */
  reserveAll(items: readonly { item: Asked; wait: Wait | null }[], call: Call, tokens: Tokens): Outcome[] | null {
    const asked = this.capped(
      () => this.askAll(items, tokens),
      (all) => this.addedBy(all),
    );
    return asked && this.settleAndTell(asked, call);
  }

  /** The number of slots for which a batch issues tickets. */
  private addedBy(asked: readonly (Outcome | Postponed)[]): number {
    const requests = asked.flatMap((one) => ('request' in one ? one.request : []));
    const isNew = (one: Request, i: number) =>
      !this.tickets.some((ticket) => isSameRequest(ticket, one)) &&
      requests.findIndex((other) => isSameRequest(other, one)) === i;
    return requests.filter(isNew).reduce((sum, { items }) => sum + slotsOf(items), 0);
  }

  private askAll(items: readonly { item: Asked; wait: Wait | null }[], tokens: Tokens): (Outcome | Postponed)[] {
    const asked: (Outcome | Postponed)[] = [];
    for (const [i, { item, wait }] of items.entries()) {
      const token = tokens[i] ?? null;
      if (wait === null) {
        asked.push({ status: 'APPLIED', results: [this.tryOne(item, token)] });
        continue;
      }
      const { resource, requester, ttlSeconds = 0, session, count = 1, mode, condition, minTtlSeconds } = item;
      const lasting = session === undefined ? { ttlSeconds, minTtlSeconds } : { session };
      const shared = mode === 'SHARED' ? { mode } : {};
      const unready = condition === undefined ? {} : { condition };
      const { match, nth } = item;
      const any = match === undefined ? {} : { match, nth };
      const wanted = { resource, count, ...lasting, ...shared, ...unready, ...any };
      const request: Request = { requester, method: '', items: [wanted] };
      const same =
        this.hasSession(session) && asked.find((one) => 'request' in one && isSameRequest(one.request, request));
      // The same item twice in a batch is one ticket, with the values of the first.
      asked.push(
        same && 'request' in same ? { ...same, tokens: [token] } : this.ask({ request, wait, tokens: [token] }),
      );
    }
    return asked;
  }

  /** A transaction that may wait. Returns null if it would exceed the cap. */
  transactWaiting(postponed: Postponed, call: Call): Outcome | null {
    const asked = this.capped(
      () => [this.ask(postponed)],
      (all) => this.addedBy(all),
    );
    return (asked && this.settleAndTell(asked, call)[0]) ?? null;
  }

  /** Reserves an item that does not wait. If its reservation is an unclaimed grant, this claims it. */
  tryOne(item: Asked, token: string | null): ReserveResult {
    const had = this.hasSession(item.session) ? this.hadFor(item, item.requester) : undefined;
    if (had !== undefined) this.claimAlong(had, token);
    return this.reserve(item, token);
  }

  /** Tries a request at its rank. Returns what has come of it, or the request, if it has to wait. */
  private ask(postponed: Postponed): Outcome | Postponed {
    const { request, wait, tokens } = postponed;
    if (!this.hasSession(sessionOf(request))) {
      const results = request.items.map((item) => this.reserve({ requester: request.requester, ...item }, null));
      return { status: 'ROLLED_BACK', results };
    }
    const grant = this.grants.find((one) => isSameRequest(one, request));
    if (grant !== undefined) return this.claimAll(grant, request, tokens);
    const ticket = this.tickets.find((one) => isSameRequest(one, request));
    const rank = { priority: wait.priority, id: ticket?.id ?? Number.POSITIVE_INFINITY };
    const before = [...this.reservations];
    const { status, results } = this.carryOut(request, rank, tokens);
    if (status === 'ROLLED_BACK' && (ticket !== undefined || this.canBeMet(request))) return postponed;
    this.tickets = this.tickets.filter((one) => one !== ticket);
    const waitedMs = ticket === undefined ? 0 : this.nowMs - ticket.since;
    if (status === 'ROLLED_BACK') return { status, results };
    const made = this.reservations.filter((one) => !before.includes(one));
    const told =
      request.method === 'FIRST' && made.length > 0
        ? results
        : this.tell(request, made, tokens).map((one, i) => (isSuccess(one) ? one : (results[i] ?? one)));
    return { status, results: told.map((one) => (one.status === 'ACQUIRED' ? { ...one, waitedMs } : one)) };
  }

  /** Carries a request out at a rank. A FIRST of which its requester has an item already succeeds with that one. */
  carryOut(
    request: Request,
    rank: Rank,
    tokens: Tokens,
    claimMs = 0,
  ): { status: TransactionResult['status']; results: Result[] } {
    const { requester, method } = request;
    const asked = request.items.map((item) => ({ requestType: 'RESERVE' as const, requester, ...item, claimMs }));
    const [only] = asked;
    if (method === '' && only !== undefined) {
      const result = this.reserve(only, tokens[0] ?? null, rank);
      return { status: isSuccess(result) ? 'APPLIED' : 'ROLLED_BACK', results: [this.noted(result, 0)] };
    }
    const items = numbered(asked);
    const hasOne = items.some((item) => this.hadFor(item, requester) !== undefined);
    if (method === 'FIRST' && hasOne) return { status: 'APPLIED', results: [] };
    const done = this.transaction(method === 'FIRST' ? 'FIRST' : 'ALL_OR_NONE', items, tokens, rank);
    return { ...done, results: done.results.map((one, i) => this.noted(one, i)) };
  }

  /** Gives each request that has to wait its ticket, settles the queue, and claims what that granted. */
  private settleAndTell(asked: (Outcome | Postponed)[], call: Call): Outcome[] {
    const tickets = asked.map((one) => ('request' in one ? this.keep(one, call) : null));
    this.settle();
    return asked.map((one, i) => {
      const ticket = tickets[i];
      if (!('request' in one) || !ticket) return one as Outcome;
      if (this.tickets.includes(ticket)) return { ticket };
      const grant = this.grants.find((other) => isSameRequest(other, one.request));
      if (grant !== undefined) return this.claimAll(grant, one.request, one.tokens);
      return { status: 'APPLIED', results: this.tell(one.request, [], one.tokens) };
    });
  }

  /** Issues the ticket of a request, or continues it. */
  private keep({ request, wait }: Postponed, call: Call): Ticket {
    const found = this.tickets.find((one) => isSameRequest(one, request));
    const since = found?.since ?? this.nowMs;
    const ends = found?.calls[call.instance] ?? 0;
    const ticket: Ticket = {
      ...request,
      id: found?.id ?? ++this.lastId,
      since,
      until: since + wait.waitSeconds * 1000,
      priority: wait.priority,
      claimMs: wait.claimSeconds * 1000,
      call,
      calls: {
        ...found?.calls,
        ...(call.pollMs > 0 ? { [call.instance]: Math.max(ends, this.nowMs + call.pollMs) } : {}),
      },
      awayAt: null,
      lacked: found?.lacked ?? [],
    };
    if (call.pollMs > 0) this.noteBeat(call.instance);
    if (found === undefined) this.tickets.push(ticket);
    return Object.assign(found ?? ticket, ticket);
  }

  /** Grants tickets, always the first that may be granted, until there is none. */
  settle(): void {
    this.retry();
    while (this.queue.some((ticket) => this.grant(ticket)));
  }

  private grant(ticket: Ticket): boolean {
    if (!this.isDetached(ticket) && !this.isAttended(ticket)) return false;
    const before = [...this.reservations];
    if (this.carryOut(ticket, ticket, [], ticket.claimMs).status === 'ROLLED_BACK') return false;
    this.tickets = this.tickets.filter((one) => one !== ticket);
    const made = this.reservations.filter((one) => !before.includes(one));
    for (const one of made) {
      if (one.session !== undefined) continue;
      one.expiresAt = this.nowMs + ticket.claimMs;
      // What could not be booked when it was granted counts as endless until it is claimed.
      const isBookable = this.isBookable(this.meaning(one.own.slot)?.resource ?? '');
      const endsAt = isBookable ? this.leaseOf(one, ticket.items, ticket.claimMs) : Number.POSITIVE_INFINITY;
      one.claimedMs = endsAt - one.expiresAt;
    }
    if (made.length > 0) this.grants.push({ ...ticket, grantedAt: this.nowMs, made });
    return true;
  }

  /** Claims a grant for the same request. */
  protected claimAll(grant: Grant, request: Request, tokens: Tokens): Outcome {
    const refused = this.whyNotClaimed(grant, request.items);
    if (refused !== null) {
      const { place, bookedFrom } = refused;
      const { requester } = request;
      const results = request.items.map(({ resource }, i): Result => {
        const result = undone({ requestType: 'RESERVE', resource, requester }, 'ROLLED_BACK');
        return i === place ? { ...result, ...bookedWhy(bookedFrom) } : result;
      });
      return { status: 'ROLLED_BACK', results };
    }
    this.claim(grant, tokens, request.items);
    // A delayed booking of its requester may extend what it has claimed.
    this.retry();
    const waitedMs = grant.grantedAt - grant.since;
    const results = this.tell(request, grant.made, tokens);
    return {
      status: 'APPLIED',
      results: results.map((one) => (one.status === 'ACQUIRED' ? { ...one, waitedMs } : one)),
    };
  }
}

/**
 * Finds an order of concurrent operations that explains what their callers saw: one in which each lies between its call
 * and its answer, and in which the model gives the same answers (linearizability, by the search of Wing and Gong).
 */

export interface Operation {
  /** Times of one clock. */
  readonly calledAt: number;
  readonly answeredAt: number;
  /** The request and its answer, for the message of a failure. */
  readonly what: unknown;
  readonly answer: unknown;
  /**
   * Carries it out on the model and returns the answer that the caller should have seen; null where it cannot be next.
   */
  apply(model: Model): unknown;
}

/** @returns the operations in such an order; null where there is none */
export function findOrder(start: Model, operations: readonly Operation[]): Operation[] | null {
  const byCall = operations.toSorted((a, b) => a.calledAt - b.calledAt);
  const hopeless = new Set<string>();

  const search = (model: Model, done: ReadonlySet<Operation>): Operation[] | null => {
    const open = byCall.filter((operation) => !done.has(operation));
    if (open.length === 0) return [];
    const firstAnswer = Math.min(...open.map(({ answeredAt }) => answeredAt));
    const state = `${open.map((operation) => byCall.indexOf(operation)).join()} ${JSON.stringify(model.reservations)}`;
    if (hopeless.has(state)) return null;
    for (const operation of open) {
      if (operation.calledAt > firstAnswer) break;
      const next = model.clone();
      if (!isDeepStrictEqual(operation.apply(next), operation.answer)) continue;
      const rest = search(next, new Set([...done, operation]));
      if (rest !== null) return [operation, ...rest];
    }
    hopeless.add(state);
    return null;
  };
  return search(start, new Set());
}
