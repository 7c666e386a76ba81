/** Reservations and waits, by the rules of the service: leases, pools, and a fair queue. */
import { textOf } from '../holds/plan.ts';
import type { HeldBy, HoldfastEvent, ReserveItem } from '../types.ts';
import type { FakeClock } from './clock.ts';
import { type Choice, Definitions, titleOf, unsupported } from './definitions.ts';

/** A reservation. Times are ms of the wall clock; null: it never ends. */
export interface Row {
  readonly item: ReserveItem;
  readonly resource: string;
  readonly requester: string;
  readonly choice: Choice;
  readonly slots: readonly string[];
  readonly releaseToken: string;
  readonly fencingToken: number;
  readonly reservedAt: number;
  readonly waitedMs: number | undefined;
  expiresAt: number | null;
  stopTimer(): void;
}

export interface Refusal {
  readonly status: 'ALREADY_HELD' | 'NOT_AVAILABLE' | 'NOT_VALID';
  readonly explanation: string;
  readonly heldBy?: HeldBy;
}

export interface Ticket {
  readonly items: readonly ReserveItem[];
  readonly requester: string;
  readonly method: 'ALL_OR_NONE' | null;
  readonly priority: number;
  readonly since: number;
  readonly until: number;
  /** Its reservations, or why its wait ended. */
  outcome: readonly Row[] | Refusal | undefined;
  /** Called when it has an outcome. */
  readonly decided: (() => void)[];
  stopTimer(): void;
}

/** By pool or resource: how many of its free slots are kept for tickets further ahead. */
type Kept = Map<string, number>;

export class Store {
  readonly definitions = new Definitions();
  readonly clock: FakeClock;
  /** Called with each change: the events of the service. */
  readonly listeners = new Set<(event: Partial<HoldfastEvent> & Pick<HoldfastEvent, 'type'>) => void>();
  readonly rows = new Set<Row>();
  readonly tickets: Ticket[] = [];
  #fence = 0;

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  /**
   * The reservation that a requester has of a name, or of a match.
   * @param nth which of the items with this match it is in its request
   */
  held(item: ReserveItem, requester: string, nth = 1): Row | undefined {
    const isSame = (row: Row) =>
      item.match === undefined
        ? row.resource === item.resource
        : row.item.match !== undefined && textOf(row.item.match) === textOf(item.match);
    const all = [...this.rows].filter((row) => row.requester === requester && isSame(row));
    return all[item.match === undefined ? 0 : nth - 1];
  }

  /** Those whose reservation is of this name, or has this slot. */
  holders(name: string): Row[] {
    return [...this.rows].filter(({ resource, slots }) => resource === name || slots.includes(name));
  }

  /** Takes all items or none. Tickets that wait keep their place before it. */
  tryTake(items: readonly ReserveItem[], requester: string): readonly Row[] | Refusal {
    return this.#take(items, requester, this.#keptFor(this.tickets));
  }

  /** Joins the queue. */
  wait(items: readonly ReserveItem[], requester: string, ms: number, priority: number, isTransaction: boolean): Ticket {
    const since = this.clock.wall();
    const ticket: Ticket = {
      items,
      requester,
      method: isTransaction ? 'ALL_OR_NONE' : null,
      priority,
      since,
      until: since + ms,
      outcome: undefined,
      decided: [],
      stopTimer: this.clock.timer(() => {
        const last = this.#plan(items, this.#keptFor(this.tickets));
        const { status } = 'status' in last ? last : ended('elapsed');
        this.endWait(ticket, { status, explanation: status }, 'ELAPSED');
      }, ms),
    };
    const behind = this.tickets.findIndex((other) => other.priority < priority);
    this.tickets.splice(behind < 0 ? this.tickets.length : behind, 0, ticket);
    this.#tell('WAITING', ticket);
    return ticket;
  }

  endWait(ticket: Ticket, outcome: readonly Row[] | Refusal, explanation: string): void {
    const at = this.tickets.indexOf(ticket);
    if (at < 0) return;
    this.tickets.splice(at, 1);
    ticket.stopTimer();
    ticket.outcome = outcome;
    for (const decided of ticket.decided) decided();
    this.#tell('WAIT_ENDED', ticket, explanation);
    this.settle();
  }

  release(row: Row): void {
    this.#drop(row);
    this.settle();
  }

  /** @param ttlMs undefined: it never ends */
  renew(row: Row, ttlMs: number | undefined): void {
    row.stopTimer();
    row.expiresAt = ttlMs === undefined ? null : this.clock.wall() + ttlMs;
    if (ttlMs !== undefined) row.stopTimer = this.clock.timer(() => this.release(row), ttlMs);
  }

  /** @returns how many reservations it ended */
  reset(): number {
    const count = this.rows.size;
    for (const ticket of [...this.tickets]) this.endWait(ticket, ended('reset'), 'CANCELLED');
    for (const row of [...this.rows]) this.#drop(row);
    this.tell({ type: 'RESET' });
    return count;
  }

  /** Grants what can be granted, in the order of the queue. */
  settle(): void {
    for (const [i, ticket] of [...this.tickets].entries()) {
      if (!this.tickets.includes(ticket)) continue;
      const waitedMs = this.clock.wall() - ticket.since;
      const got = this.#take(ticket.items, ticket.requester, this.#keptFor(this.tickets.slice(0, i)), waitedMs);
      if ('status' in got) continue;
      // It settles the others.
      this.endWait(ticket, got, 'ACQUIRED');
      return;
    }
  }

  tell(event: Partial<HoldfastEvent> & Pick<HoldfastEvent, 'type'>): void {
    for (const listener of this.listeners) listener(event);
  }

  #tell(type: 'WAITING' | 'WAIT_ENDED', { items, requester, method }: Ticket, explanation: string = type): void {
    const [first] = items;
    const resource = first === undefined || method !== null ? null : titleOf(first);
    this.tell({ type, resource, requester, explanation, method });
  }

  #drop(row: Row): void {
    row.stopTimer();
    if (!this.rows.delete(row)) return;
    const { resource, requester } = row;
    this.tell({ type: 'UNRESERVED', resource, requester, explanation: 'RELINQUISHED' });
  }

  #freeOf({ slots }: Choice, taken: ReadonlySet<string>, isShared: boolean): string[] {
    const blocks = (row: Row, slot: string) => row.slots.includes(slot) && !(isShared && row.item.mode === 'SHARED');
    return slots.filter((slot) => !taken.has(slot) && ![...this.rows].some((row) => blocks(row, slot)));
  }

  #keptFor(ahead: readonly Ticket[]): Kept {
    const kept: Kept = new Map();
    for (const { items } of ahead) {
      // A request with a match keeps nothing.
      for (const item of items.some(({ match }) => match !== undefined) ? [] : items) {
        const [choice] = this.definitions.choicesOf(item);
        if (choice !== undefined) kept.set(choice.base, (kept.get(choice.base) ?? 0) + (item.count ?? 1));
      }
    }
    return kept;
  }

  #take(items: readonly ReserveItem[], requester: string, kept: Kept, waitedMs?: number): readonly Row[] | Refusal {
    const plan = this.#plan(items, kept);
    if ('status' in plan) return plan;
    return plan.map(([item, choice, slots]) => this.#made(item, requester, choice, slots, waitedMs));
  }

  /** @returns what the items take */
  #plan(items: readonly ReserveItem[], kept: Kept): (readonly [ReserveItem, Choice, readonly string[]])[] | Refusal {
    const taken = new Set<string>();
    const chosen: [ReserveItem, Choice, readonly string[]][] = [];
    for (const item of items) {
      const choices = this.definitions.choicesOf(item);
      if (choices.length === 0) return { status: 'NOT_VALID', explanation: 'NOT_VALID' };
      const isShared = item.mode === 'SHARED';
      if (isShared && choices.some(({ isPool }) => isPool)) throw unsupported('SHARED slots of pools');
      const count = item.count ?? 1;
      const found = choices
        .map((choice) => [choice, this.#freeOf(choice, taken, isShared)] as const)
        .find(([{ base }, free]) => free.length - (kept.get(base) ?? 0) >= count);
      if (found === undefined) return this.#refusal(item, choices);
      const slots = found[1].slice(0, count);
      for (const slot of slots) taken.add(slot);
      chosen.push([item, found[0], slots]);
    }
    return chosen;
  }

  #refusal({ match }: ReserveItem, [choice, ...others]: readonly Choice[]): Refusal {
    const [slot] = choice?.slots ?? [];
    const [holder] = choice?.isPool || match !== undefined || slot === undefined ? [] : this.holders(slot);
    if (holder === undefined || others.length > 0) return { status: 'NOT_AVAILABLE', explanation: 'NOT_AVAILABLE' };
    const isShared = holder.item.mode === 'SHARED';
    const heldBy: HeldBy = {
      resource: slot ?? '',
      requester: isShared ? null : holder.requester,
      since: isShared ? null : isoOf(holder.reservedAt),
      expiresAt: isShared ? null : isoOf(holder.expiresAt),
      note: isShared ? null : (holder.item.note ?? null),
    };
    return { status: 'ALREADY_HELD', explanation: 'ALREADY_HELD', heldBy };
  }

  #made(item: ReserveItem, requester: string, choice: Choice, slots: readonly string[], waitedMs?: number): Row {
    this.#fence = Math.max(this.#fence + 1, Math.floor(this.clock.wall() * 1000));
    const row: Row = {
      item,
      resource: choice.resource,
      requester,
      choice,
      slots,
      releaseToken: crypto.randomUUID(),
      fencingToken: this.#fence,
      reservedAt: this.clock.wall(),
      waitedMs,
      expiresAt: null,
      stopTimer: () => {},
    };
    this.rows.add(row);
    this.renew(row, item.ttlSeconds === undefined ? undefined : item.ttlSeconds * 1000);
    this.tell({
      type: 'RESERVED',
      resource: row.resource,
      requester,
      explanation: 'ACQUIRED',
      expiresAt: isoOf(row.expiresAt),
      acquiredSlots: acquiredSlotsOf(row),
      fencingToken: row.fencingToken,
      ...(slots.length > 1 && { slots: [...slots] }),
      ...(item.mode === 'SHARED' && { mode: item.mode }),
      ...(item.note !== undefined && { note: item.note }),
    });
    return row;
  }
}

export const ended = (why: string): Refusal => ({ status: 'NOT_AVAILABLE', explanation: `NOT_AVAILABLE: ${why}` });

export function isoOf(ms: number): string;
export function isoOf(ms: number | null): string | null;
export function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

export const acquiredSlotsOf = ({ choice, slots: [slot] }: Row): Record<string, string> | null =>
  choice.isPool && slot !== undefined ? { [choice.resource]: slot } : null;
