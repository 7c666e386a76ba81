/**
 * The model with a queue: every change settles it, and what is due is handled in the order of due times
 * (docs/specification.md#waiting-order).
 */
import type { Definition } from '../../src/contract/definitions.ts';
import type {
  TransactionItem,
  TransactionResult,
  UnreserveItem,
  UnreserveResult,
} from '../../src/contract/reservations.ts';
import type { Condition } from '../../src/domain/conditions.ts';
import type { TransactionMethod } from '../../src/domain/reservations.ts';
import type { Result } from './claims.ts';
import type { Report } from './conditions.ts';
import type { Queue } from './queue.ts';
import { Sessions } from './sessionHistory.ts';
import type { Registration, Reservation } from './state.ts';
import { sessionOf, type Ticket } from './tickets.ts';

/** Time for which a ticket that nobody attends stays. */
const AWAY_MS = 600_000;

export class WaitingModel extends Sessions {
  /** True if the engine lists a ticket after a change of definitions. */
  isListed: (ticket: Ticket) => boolean = () => true;

  unreserveAll(items: readonly UnreserveItem[]): UnreserveResult[] {
    const results = items.map((item) => this.unreserve(item));
    this.settle();
    return results;
  }

  /** A release has handed over what it released to a ticket, which is claimed. Returns the result of its call. */
  takeOver(id: number, token: string | null): Result | undefined {
    const grant = this.grants.find((one) => one.id === id && one.grantedAt === this.nowMs);
    const outcome = grant && this.claimAll(grant, grant, [token]);
    return outcome && 'results' in outcome ? outcome.results[0] : undefined;
  }

  /** A transaction that does not wait. Returns null if it would exceed the cap. */
  transact(
    method: TransactionMethod,
    items: readonly TransactionItem[],
    tokens: readonly (string | null)[],
  ): TransactionResult | null {
    const answer = this.capped(() => this.transactAndClaim(method, items, tokens));
    this.settle();
    return answer;
  }

  private transactAndClaim(
    method: TransactionMethod,
    items: readonly TransactionItem[],
    tokens: readonly (string | null)[],
  ): TransactionResult {
    const before = [...this.reservations];
    const answer = this.transaction(method, items, tokens);
    const results = answer.results.map((result, i): Result => {
      if (result.status !== 'ALREADY_HAD') return result;
      const had = before.find(({ fence }) => 'fencingToken' in result && fence === result.fencingToken);
      if (had === undefined) return result;
      this.claimAlong(had, tokens[i] ?? null);
      const item = items[i];
      return this.resultOf(had, result.resource, 'ALREADY_HAD', item?.requestType === 'RESERVE' ? item : undefined);
    });
    return { ...answer, results };
  }

  /** Cancels tickets and unclaimed grants by requester and by what a name stands for. Returns each item's status. */
  cancel(items: readonly { resource: string; requester: string }[]): string[] {
    const statuses = items.map(({ resource, requester }) => {
      const names = (one: Ticket | Queue['grants'][number]) =>
        one.requester === requester && one.items.some((item) => this.isSameName(item.resource, resource));
      const tickets = this.tickets.filter(names);
      const grants = this.grants.filter(names);
      this.tickets = this.tickets.filter((one) => !tickets.includes(one));
      this.grants = this.grants.filter((one) => !grants.includes(one));
      for (const { made } of grants) for (const one of made) this.end(one);
      return tickets.length + grants.length > 0 ? 'CANCELLED' : 'NOT_WAITING';
    });
    this.settle();
    return statuses;
  }

  private isSameName(one: string, other: string): boolean {
    const [a, b] = [this.meaning(one), this.meaning(other)];
    if (a === null || b === null) return one === other;
    return a.resource === b.resource && a.slot === b.slot;
  }

  /** Sets conditions of resources and slots. Returns each item's status. */
  setConditions(items: readonly { resource: string; condition: Condition }[]): string[] {
    const statuses = items.map(({ resource, condition }) => this.setCondition(resource, condition));
    this.settle();
    return statuses;
  }

  beat(instance: string): void {
    this.noteBeat(instance);
    this.settle();
  }

  /** An instance's call for a ticket has ended. */
  leave(instance: string, id: number): void {
    const calls = this.tickets.find((one) => one.id === id)?.calls;
    const ends = calls?.[instance];
    if (calls !== undefined && ends !== undefined) calls[instance] = Math.min(ends, this.nowMs);
  }

  override register(items: readonly Registration[]): Definition[] | null {
    const hopeless = this.hopeless();
    const stored = super.register(items);
    if (stored !== null) this.planAgain(hopeless);
    return stored;
  }

  override delete(name: string, cascade: boolean): string[] | 'refused' | 'unregistered' {
    const hopeless = this.hopeless();
    const deleted = super.delete(name, cascade);
    if (Array.isArray(deleted)) this.planAgain(hopeless);
    return deleted;
  }

  /** Allows registered resources only, or all names. */
  require(isRequired: boolean): void {
    const hopeless = this.hopeless();
    this.requireRegistration = isRequired;
    this.planAgain(hopeless);
  }

  private hopeless(): Ticket[] {
    return this.tickets.filter((ticket) => !this.canBeMet(ticket));
  }

  /**
   * Ends the tickets that a change of definitions no longer allows.
   * @param hopeless tickets that what their requesters took had made hopeless before: the engine may end them too
   */
  private planAgain(hopeless: readonly Ticket[]): void {
    const mayStay = (ticket: Ticket) => hopeless.includes(ticket) && this.isListed(ticket);
    this.tickets = this.tickets.filter((ticket) => this.canBeMet(ticket) || mayStay(ticket));
    this.settle();
    // A grant to its requester may make a ticket hopeless before the engine comes to plan it again.
    this.tickets = this.tickets.filter((ticket) => this.canBeMet(ticket) || this.isListed(ticket));
    this.settle();
  }

  override reset(): number {
    this.tickets = [];
    this.grants = [];
    const cleared = super.reset();
    this.settle();
    return cleared;
  }

  /** Ends a reservation, and what is left of its grant. */
  override end(reservation: Reservation, report?: Report): string[] {
    for (const grant of this.grants) grant.made = grant.made.filter((one) => one !== reservation);
    this.grants = this.grants.filter(({ made }) => made.length > 0);
    return super.end(reservation, report);
  }

  override setClock(ms: number): void {
    this.nowMs = ms;
    for (;;) {
      const due = Math.min(...this.dueTimes());
      if (due > ms) break;
      // Grants that this makes are stamped with the time that it is now.
      this.judgedMs = Math.max(this.judgedMs, due);
      const isDue = (at: number | null) => at !== null && at <= this.judgedMs;
      for (const one of this.reservations) if (isDue(one.expiresAt)) this.end(one);
      for (const [id, { expiresAt }] of this.sessions) if (isDue(expiresAt)) this.clear(id);
      this.startDue(this.judgedMs);
      for (const ticket of this.tickets) if (isDue(this.attendedUntil(ticket))) ticket.awayAt ??= this.judgedMs;
      this.tickets = this.tickets.filter((ticket) => !isDue(this.endOf(ticket)));
      this.settle();
    }
    this.judgedMs = ms;
    // As time passes, tickets cease to fit slots that are booked.
    if (this.bookings.length > 0) this.settle();
  }

  /** The times at which something ends: leases, tickets, and attendance that has not ended. */
  private dueTimes(): number[] {
    const leases = this.reservations.flatMap(({ expiresAt }) => expiresAt ?? []);
    const attended = this.tickets.filter((ticket) => this.isAttended(ticket));
    return [
      ...this.moments(),
      ...leases,
      ...[...this.sessions.values()].map(({ expiresAt }) => expiresAt),
      ...this.tickets.map((ticket) => this.endOf(ticket)),
      ...attended.map((ticket) => this.attendedUntil(ticket)),
    ];
  }

  private endOf(ticket: Ticket): number {
    return this.isDetached(ticket) || sessionOf(ticket) !== undefined
      ? ticket.until
      : Math.min(ticket.until, (ticket.awayAt ?? this.nowMs) + AWAY_MS);
  }
}
