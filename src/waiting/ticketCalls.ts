/**
 * The long polls of a tenant at this instance, by the tickets and by the resources that they wait for.
 */
import type { LongPoll } from './longPoll.ts';

/** Of the calls that wait for a resource, so many are looked at for the first in the queue. */
const MAX_LOOKED = 16;

const NONE: readonly LongPoll[] = [];

export class TicketCalls {
  readonly #byTicket = new Map<string, readonly LongPoll[]>();
  /** Those to which a resource may be handed over. */
  readonly #byResource = new Map<string, Set<LongPoll>>();

  /** Returns the calls that wait on a ticket. */
  of(ticket: string): readonly LongPoll[] {
    return this.#byTicket.get(ticket) ?? NONE;
  }

  /** Adds a call, unless it waits on the ticket already. Returns the calls that waited on it before. */
  add(ticket: string, call: LongPoll): readonly LongPoll[] {
    const calls = this.of(ticket);
    if (calls.includes(call)) return NONE;
    this.#byTicket.set(ticket, [...calls, call]);
    const { heir } = call.request;
    if (heir === undefined) return calls;
    const heirs = this.#byResource.get(heir.resource);
    if (heirs === undefined) this.#byResource.set(heir.resource, new Set([call]));
    else heirs.add(call);
    return calls;
  }

  delete(ticket: string, call: LongPoll): void {
    const calls = this.of(ticket).filter((one) => one !== call);
    if (calls.length === 0) this.#byTicket.delete(ticket);
    else this.#byTicket.set(ticket, calls);
    const { heir } = call.request;
    const heirs = heir && this.#byResource.get(heir.resource);
    if (heir && heirs?.delete(call) === true && heirs.size === 0) this.#byResource.delete(heir.resource);
  }

  /**
   * Returns the call that is first in the queue for a resource, as far as this instance knows. Those do not count whose
   * tickets have other calls here.
   * @param credentialKey that of the call
   */
  firstFor(resource: string, credentialKey: string): LongPoll | undefined {
    let looked = 0;
    let first: LongPoll | undefined;
    for (const call of this.#byResource.get(resource) ?? NONE) {
      const [one] = call.request.queued;
      const isSole = one !== undefined && this.of(one.ticket).length === 1;
      const isFit = isSole && !call.isRunning && call.request.credential.credentialKey === credentialKey;
      if (isFit && (first === undefined || isAhead(call, first))) first = call;
      if (++looked === MAX_LOOKED) break;
    }
    return first;
  }
}

function isAhead(one: LongPoll, other: LongPoll): boolean {
  const [a] = one.request.queued;
  const [b] = other.request.queued;
  if (a === undefined || b === undefined) return false;
  return a.priority === b.priority ? Number(a.ticket) < Number(b.ticket) : a.priority > b.priority;
}
